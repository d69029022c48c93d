import { answerSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  isAnswer,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { readable } from '../../../ledger/readable.ts'
import { PermitError } from '../../../records/errors.ts'
import { parseAccountId } from '../../../records/inputs.ts'
import type { Records } from '../../../records/records.ts'
import type { PermitsOptions, Standing, StandingChoice } from './options.ts'

/** The options of the switch, with their defaults. */
export interface StandingSettings {
  readonly initially: NonNullable<NonNullable<PermitsOptions['standing']>['initially']>
}

/**
 * What holds for a customer, with the id of what runs by it.
 *
 * @param stored the newest answer of the customer. What cannot be read is no
 */
export function standingIn(
  stored: StoredRecord | undefined,
  initially: StandingSettings['initially'],
): Standing & { readonly id: string | undefined } {
  const holder = readable(stored)
  if (stored && !holder) return { id: stored.id, choice: 'ask' }
  if (isAnswer(holder)) return { id: holder.id, choice: holder.state }
  return { id: undefined, choice: initially, ...(initially === 'rule' ? {} : { isInitial: true }) }
}

/** What a customer answers for all requests. */
export function answers(records: Records, standing: StandingSettings | undefined) {
  const { store, now, reading, timeoutMs } = records
  const { initially = 'rule' } = standing ?? {}
  const read = (customer: string) => reading(() => store.slotHolder(answerSlot(customer)))

  async function answerOf(customer: string): Promise<Standing> {
    const { id: _, ...shown } = standingIn(await read(customer), initially)
    return shown
  }

  const write = (customer: string, choice: StandingChoice) =>
    records.begin(answerSlot(customer), (holder): AuditEntry => {
      const isNo = choice === 'ask'
      return {
        event: isNo ? 'support.closed' : 'support.opened',
        // Later than the answer before it, also in one millisecond.
        timeMs: Math.max(now(), (holder?.lastAt ?? 0) + 1),
        permit: newId(),
        userId: customer,
        by: customer,
        toTell: isNo ? undefined : records.toTell('opened'),
      }
    })

  /** Stores the choice, and ends what would not start any more. A second No ends what is still alive. */
  async function choose(given: string, choice: StandingChoice): Promise<Standing> {
    records.attached()
    const customer = parseAccountId(given, 'customer')
    if (!standing) throw new PermitError('not_found', 'customers are asked each time')
    const holder = readable(await read(customer))
    const isSaid = choice === 'ask' && holder?.state === choice
    const answer = isSaid ? holder : await write(customer, choice)
    await records.end(answer, timeoutMs).catch((cause: unknown) => {
      throw new PermitError(
        'temporarily_unavailable',
        'your answer is stored; what runs cannot be ended now: it is tried again, and you can say it again',
        { cause },
      )
    })
    return answerOf(customer)
  }

  return (customer: string, choice?: StandingChoice): Promise<Standing> =>
    choice === undefined ? answerOf(customer) : choose(customer, choice)
}
