import { answerSlot } from 'oidc-provider-impersonation-verify/chain'
import { isAnswer, type StoredRecord } from 'oidc-provider-impersonation-verify/format'
import { readable } from '../../../ledger/readable.ts'
import { PermitError } from '../../../records/errors.ts'
import { parseAccountId } from '../../../records/inputs.ts'
import type { Standing, StandingChoice } from '../../../records/record-at.ts'
import type { Records } from '../../../records/records.ts'

/** The options of the switch, with their defaults. */
export interface StandingSettings {
  readonly initially: Standing['choice']
}

/**
 * The answer that holds for a customer, with the id of what runs by it.
 *
 * @param stored the newest answer of the customer. One that cannot be read is no
 */
export function standingIn(
  stored: StoredRecord | undefined,
  initially: StandingSettings['initially'],
): Standing & { readonly id?: string } {
  const holder = readable(stored)
  if (stored && !holder) return { id: stored.id, choice: 'ask' }
  if (isAnswer(holder)) return { id: holder.id, choice: holder.state }
  return { choice: initially, ...(initially === 'rule' ? {} : { isInitial: true }) }
}

/** The answers of customers for all requests. */
export function answers(records: Records, standing: StandingSettings | undefined) {
  const { store, reading } = records
  const { initially = 'rule' } = standing ?? {}

  async function answerOf(customer: string): Promise<Standing> {
    const stored = await reading(() => store.slotHolder(answerSlot(customer)))
    const { id: _, ...shown } = standingIn(stored, initially)
    return shown
  }

  /** Stores the choice, and ends what would not start any more. A second No ends what is still alive. */
  async function choose(given: string, choice: StandingChoice) {
    records.attached()
    const customer = parseAccountId(given, 'customer')
    if (!standing) throw new PermitError('not_found', 'customers are asked each time')
    const isNo = choice === 'ask'
    const { record } = await records.begin(
      {
        event: isNo ? 'support.closed' : 'support.opened',
        userId: customer,
        by: customer,
        toTell: isNo ? undefined : records.toTell('opened'),
      },
      (holder) => (isNo && holder?.state === choice ? true : undefined),
    )
    if (await records.ended(record)) return answerOf(customer)
    throw new PermitError(
      'temporarily_unavailable',
      'your answer is stored; what runs cannot be ended now: it is tried again, and you can say it again',
    )
  }

  return (customer: string, choice?: StandingChoice): Promise<Standing> =>
    choice === undefined ? answerOf(customer) : choose(customer, choice)
}
