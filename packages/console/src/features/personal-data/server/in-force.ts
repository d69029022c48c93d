import { isAlarmOpen, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { Problem } from '../../../kernel/problem.ts'
import { readable } from '../../../ledger/readable.ts'
import type { Item } from './of-customer.ts'

/**
 * The reason for which something is not erased:
 * - `'held'`: the impersonation is on hold
 * - `'running'`: it runs, or can be redeemed
 * - `'alarm'`: it has an alarm that a lead has to look at now
 * - `'kept'`: the provider still has its record, of which the audit would be made whole again
 * - `'permit'`: the permit is in its window, even if revoked, has to be decided or reviewed, or was
 *   revoked or declined a moment ago
 * - `'stop'`: an operator is stopped for the customer, and the account exists
 * - `'unreadable'`: what the storage has of it is damaged, or of a newer version: it may be in force
 * - `'tampered'`: its entries say that it is another customer's. Somebody changed the storage
 */
export type InForceReason =
  | 'alarm'
  | 'held'
  | 'kept'
  | 'stop'
  | 'permit'
  | 'running'
  | 'tampered'
  | 'unreadable'

export interface InForce {
  readonly kind: Item['kind']
  readonly id: string
  readonly why: InForceReason
}

/** @param hasAccount whether the customer has an account: without one, nothing can be issued */
export function whyInForce(
  item: Item,
  now: number,
  hasAccount: boolean,
): InForceReason | undefined {
  if (item.kind === 'impersonation') {
    const { row } = item
    if (row.hold?.isHeld) return 'held'
    const outcome = outcomeOf(row, now)
    if (outcome === 'running' || outcome === 'waiting') return 'running'
    return isAlarmOpen(row) ? 'alarm' : undefined
  }
  const { permit } = item
  const record = readable(permit)
  if (!record) return 'unreadable'
  // The answer that holds stays: it is no part of what is erased.
  if (record.kind === 'answer') return undefined
  if (permit.overAt !== undefined && permit.overAt <= now) return undefined
  if (record.kind !== 'stop') return 'permit'
  return hasAccount ? 'stop' : undefined
}

/** The number of ids that the message names. */
const MAX_NAMED = 10
/** The number of reasons that an answer has. */
export const MAX_SHOWN = 100

/**
 * {@link SupportConsole.erase} was refused: something of the customer is in force, or is another customer's.
 * {@link SupportConsole.exportOf} rejects with it after its last line, where it left out what is another customer's.
 */
export class InForceError extends Problem {
  override readonly name = 'InForceError'
  readonly code = 'ERR_IN_FORCE'
  /** All that may not be erased. */
  readonly inForce: readonly InForce[]

  constructor(
    inForce: readonly InForce[],
    what = 'nothing is erased while this is in force, or in question',
  ) {
    const named = inForce.slice(0, MAX_NAMED).map(({ kind, id, why }) => `${kind} ${id} (${why})`)
    const others = inForce.length > MAX_NAMED ? `, and ${inForce.length - MAX_NAMED} more` : ''
    const more = { inForce: inForce.slice(0, MAX_SHOWN) }
    super(409, 'in_force', `${what}: ${named.join(', ')}${others}`, { more })
    this.inForce = inForce
  }
}
