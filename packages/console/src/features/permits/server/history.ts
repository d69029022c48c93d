import { foundWordsIn, wordsOf } from 'oidc-provider-impersonation-verify/chain'
import { type PermitRecord, present, unapprovedIn } from 'oidc-provider-impersonation-verify/format'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { PermitsContext } from './context.ts'
import type {
  HistoryFilter,
  HistoryState,
  Overriding,
  PastPermit,
  PermitHistory,
} from './history-filter.ts'
import { approvalIn, type Permit, permitAt } from './permit.ts'
import { refusalAmong } from './refusals.ts'
import { ticketKey } from './rules.ts'

/** How many of them a page has at least, where there are as many. */
const PAGE = 50
/** How many are looked at for a page. */
const MAX_LOOKED_AT = 1000

export interface History {
  find(
    filter: HistoryFilter,
    page?: { readonly before?: string | undefined },
  ): Promise<PermitHistory>
  /** With what came of a refusal. */
  withOverride(permit: Permit): Promise<PastPermit>
}

/** @param pauseMs how long a refusal holds */
export function historyOf(
  context: Pick<PermitsContext, 'now' | 'reading' | 'store'>,
  pauseMs: number,
): History {
  const { store, reading, now } = context

  /** The first emergency that a refusal did not keep from, while it held. */
  async function findOverride(permit: Permit): Promise<Overriding | undefined> {
    const refusal = refusalAmong(permit)
    if (permit.state !== 'refused' || !refusal) return undefined
    const from = refusal.at
    const to = Math.min(from + pauseMs, permit.lifted?.at ?? Number.MAX_SAFE_INTEGER)
    const filter = { operator: permit.operator.id, customer: permit.customer.id, from, to }
    const page = { limit: PERMITS_PER_READ, oldestFirst: true } as const
    const { permits } = await reading(() => store.permits(filter, page))
    const emergency = allReadable(permits)
      .map(approvalIn)
      .find(
        (each) =>
          each?.application === permit.application &&
          unapprovedIn(each.review?.reason) === 'after_refusal',
      )
    const { id = '', requestedAt: at = 0, ticket } = emergency ?? {}
    return emergency && { id, at, ...present({ ticket }) }
  }

  const withOverride = async (permit: Permit): Promise<PastPermit> => {
    return { ...permit, ...present({ overriddenBy: await findOverride(permit) }) }
  }

  const find: History['find'] = async (
    { customer, operator, from, to, ...asked },
    { before: first } = {},
  ) => {
    const filter = { customer, operator, from, to, state: storedStateOf(asked.state) }
    const found: PastPermit[] = []
    let before = first
    for (let looked = 0; looked < MAX_LOOKED_AT && found.length < PAGE; looked += PAGE) {
      const page = await reading(() => store.permits(filter, { before, limit: PAGE }))
      const permits = allReadable(page.permits).flatMap((each) => {
        const record = approvalIn(each)
        return record ? permitAt(record, now()) : []
      })
      const fitting = permits.filter((permit) => isAskedFor(permit, asked))
      const past = await Promise.all(fitting.map(withOverride))
      found.push(...past.filter((each) => isOfState(each, asked.state)))
      before = page.next
      if (before === undefined) break
    }
    return { permits: found, ...present({ next: before }) }
  }

  return { find, withOverride }
}

/** By which the store finds it: what depends on the time, or on others, is looked at then. */
function storedStateOf(state: HistoryState | undefined): PermitRecord['state'] | undefined {
  if (state === 'lapsed') return 'requested'
  if (state === 'expired') return 'granted'
  if (state === 'overridden') return 'refused'
  return state === 'emergency' ? undefined : state
}

function isOfState(permit: PastPermit, state: HistoryState | undefined): boolean {
  if (state === undefined) return true
  if (state === 'emergency') return permit.kind === 'emergency'
  if (state === 'overridden') return permit.overriddenBy !== undefined
  return permit.state === state
}

function isAskedFor(
  permit: Permit,
  { person, ticket, text }: Pick<HistoryFilter, 'person' | 'text' | 'ticket'>,
): boolean {
  const isOfTicket =
    ticket === undefined || (permit.ticket && ticketKey(permit.ticket)) === ticketKey(ticket)
  const isOfPerson = person === undefined || peopleIn(permit).some(({ id }) => id === person)
  return isOfTicket && isOfPerson && (text === undefined || hasWords(permit, text))
}

/** Who asked, and who said something. The customer is one of them where they did. */
function peopleIn({ operator, decisions, lifted, revoked, review }: Permit) {
  const said = [...decisions, lifted, revoked, review].flatMap((each) => each?.by ?? [])
  return [operator, ...said]
}

function hasWords(permit: Permit, text: string): boolean {
  const { id, customer, application, ticket, reason, decisions, lifted, revoked, review } = permit
  const people = [customer, ...peopleIn(permit)]
  const notes = [...decisions, lifted, revoked, review].map((each) => each?.note)
  const texts = [
    ...[id, application, ticket, reason, ...notes],
    ...people.flatMap((who) => [who.id, who.name, who.email]),
  ]
  const found = foundWordsIn(texts.filter((each) => each !== undefined).join('\n'))
  const words = wordsOf(text)
  return words.length > 0 && words.every((word) => found.some((each) => each.startsWith(word)))
}
