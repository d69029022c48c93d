import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { ledgerOf } from '../../src/ledger/recording/ledger.ts'
import { decisions } from '../../src/records/decide.ts'
import type { Deployment } from './deployment.ts'

/** Stores a pause of an operator, for one customer or for all. */
export function storePause(
  { audit, provider }: Pick<Deployment, 'audit' | 'provider'>,
  pause: { operator: string; by: string; customer?: string },
) {
  const { operator, by, customer } = pause
  const ledger = ledgerOf(audit)
  ledger.marks.attach(provider)
  const entry: AuditEntry = {
    event: 'support.stopped',
    timeMs: Date.now(),
    by,
    permit: 'p'.repeat(43),
    userId: customer,
    mayAct: { sub: operator },
  }
  return decisions(ledger, 2000).begin(entry, () => undefined)
}
