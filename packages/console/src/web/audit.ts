import { setImmediate as nextTurn } from 'node:timers/promises'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { Audit } from '../ledger/recording/audit.ts'
import { busy } from './http/problem.ts'
import type { Call, Parts } from './parts.ts'

/** The time for which an answer waits for its entries to be stored, in milliseconds. */
const SETTLE_TIMEOUT_MS = 2000

/** Waits for entries that are on their way, so that what is read next has them. */
export async function settle({ settled }: Pick<Audit, 'settled'>): Promise<void> {
  // Events of the provider come in a later turn than its answer.
  await nextTurn()
  await endsWithin(SETTLE_TIMEOUT_MS, settled())
}

/**
 * Nothing acts before it is recorded (I13): while the store cannot take entries, what would make another one
 * is refused.
 */
export async function waitForCapacity({
  audit,
  settings,
}: Pick<Parts, 'audit' | 'settings'>): Promise<void> {
  if (await audit.waitUntilFree(settings.auditTimeout * 1000)) return
  throw busy('nothing was done: try again later')
}

/**
 * Records what the caller does.
 *
 * @param after the time of what it comes after: the clock of another process may be ahead, and of a
 * hold and a release the later one counts
 * @throws Problem 503 if the entry is not stored in time: it waits in memory, and is stored later
 */
export async function recordNow(
  { audit, caller, now, settings }: Pick<Call, 'audit' | 'caller' | 'now' | 'settings'>,
  entry: Omit<AuditEntry, 'by' | 'timeMs'>,
  after = 0,
): Promise<void> {
  const stored = audit.record({ ...entry, timeMs: Math.max(now(), after + 1), by: caller.id })
  if (await endsWithin(settings.auditTimeout * 1000, stored)) return
  throw busy('the audit does not answer: what you did is stored as soon as it does')
}
