import { answerSlot, stopSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  isPermit,
  isStop,
  parseRecord,
  type StopRecord,
} from 'oidc-provider-impersonation-verify/format'
import { allReadable } from '../ledger/readable.ts'
import type { AuditStore } from '../ledger/store.ts'
import { PermitError } from './errors.ts'

/**
 * Finds all that decides whether somebody may start, by one statement.
 *
 * @param store rejects where it does not answer
 * @param operators the people who act, by their account ids. The first one was permitted
 * @throws Error for a stop that cannot be read: it may hold
 */
export async function findInForce(
  store: Pick<AuditStore, 'permitsInForce'>,
  operators: readonly string[],
  customer: string,
  now: number,
) {
  const [operator] = operators
  const stops = operators.flatMap((each) => [stopSlot(each, customer), stopSlot(each, undefined)])
  const slots = [...stops, answerSlot(customer)]
  const granted = operator === undefined ? undefined : { customer, operator, notOverAt: now }
  const found = await store.permitsInForce({ slots, granted })
  return {
    stop: found
      .filter(({ slot = '' }) => stops.includes(slot))
      .map(parseRecord)
      .filter(isStop)
      .find(({ state }) => state === 'stopped'),
    /** The newest answer of the customer. */
    answer: found.find(({ slot }) => slot === answerSlot(customer)),
    /** Granted, and not over. */
    permits: allReadable(found).filter(isPermit),
  }
}

/** Says what a request is refused with while the operator may not start. */
export function stoppedError({ customer }: Pick<StopRecord, 'customer'>) {
  return new PermitError(
    'stopped',
    customer
      ? 'the customer objected to what the operator did: the operator may not act as them until another person lifts the stop'
      : 'a lead stopped the operator',
  )
}
