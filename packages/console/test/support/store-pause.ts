import { pauseSlot } from 'oidc-provider-impersonation-verify/chain'
import type { AnyPermit, AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { decisions } from '../../src/features/permits/server/decisions.ts'
import { ledgerOf } from '../../src/ledger/recording/ledger.ts'
import type { Deployment } from './deployment.ts'

/** Stores a pause of an operator, for one customer or for all. */
export function storePause(
  { audit, provider }: Pick<Deployment, 'audit' | 'provider'>,
  pause: { operator: string; by: string; customer?: string; until?: number },
): Promise<AnyPermit> {
  const { operator, by, customer, until } = pause
  const ledger = ledgerOf(audit)
  ledger.marks.attach(provider)
  const entry: AuditEntry = {
    ...{ event: 'support.paused', timeMs: Date.now(), by, permit: 'p'.repeat(43) },
    ...{ userId: customer, mayAct: { sub: operator }, terms: { needs: [], until } },
  }
  return decisions(ledger, { timeoutMs: 2000 }).open(pauseSlot(operator, customer), () => entry)
}
