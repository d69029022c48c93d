import { foundWordsIn, wordsOf } from 'oidc-provider-impersonation-verify/chain'
import {
  isPermit,
  isSameTicket,
  type PermitRecord,
  present,
} from 'oidc-provider-impersonation-verify/format'
import { allReadable } from '../../../ledger/readable.ts'
import { type Permit, permitAt } from '../../../records/record-at.ts'
import type { Records } from '../../../records/records.ts'
import type { HistoryFilter, HistoryState } from './history-filter.ts'
import type { ConsolePermits } from './options.ts'

/** How many of them a page has at least, where there are as many. */
const PAGE_SIZE = 50
/** How many are looked at for a page. */
const MAX_LOOKED_AT = 1000

/** Requests and emergencies, also those that are over. */
export function historyOf({
  store,
  reading,
  now,
}: Pick<Records, 'now' | 'reading' | 'store'>): ConsolePermits['history'] {
  return async ({ customer, operator, from, to, ...asked }, { before: first } = {}) => {
    const filter = { customer, operator, from, to, state: storedStateOf(asked.state) }
    const found: Permit[] = []
    let before = first
    for (let looked = 0; looked < MAX_LOOKED_AT && found.length < PAGE_SIZE; looked += PAGE_SIZE) {
      const page = await reading(() => store.permits(filter, { before, limit: PAGE_SIZE }))
      const permits = allReadable(page.permits)
        .filter(isPermit)
        .map((each) => permitAt(each, now()))
      const fitting = permits.filter((permit) => isAskedFor(permit, asked))
      found.push(...fitting.filter((each) => isOfState(each, asked.state)))
      before = page.next
      if (before === undefined) break
    }
    return { permits: found, ...present({ next: before }) }
  }
}

/** By which the store finds it: what depends on the time is looked at then. */
function storedStateOf(state: HistoryState | undefined): PermitRecord['state'] | undefined {
  if (state === 'lapsed') return 'requested'
  if (state === 'over') return 'granted'
  return state === 'emergency' ? undefined : state
}

function isOfState(permit: Permit, state: HistoryState | undefined): boolean {
  if (state === undefined) return true
  if (state === 'emergency') return permit.kind === 'emergency'
  return permit.state === state
}

function isAskedFor(
  permit: Permit,
  { person, ticket, text }: Pick<HistoryFilter, 'person' | 'text' | 'ticket'>,
): boolean {
  const isOfTicket = ticket === undefined || isSameTicket(permit.ticket, ticket)
  const isOfPerson = person === undefined || peopleIn(permit).some(({ id }) => id === person)
  return isOfTicket && isOfPerson && (text === undefined || hasWords(permit, text))
}

/** Who asked, and who said something. The customer is one of them where they did. */
function peopleIn({ operator, said }: Permit) {
  return [operator, ...said.flatMap(({ by }) => by ?? [])]
}

function hasWords(permit: Permit, text: string): boolean {
  const { id, customer, application, ticket, reason, why, said } = permit
  const people = [customer, ...peopleIn(permit)]
  const notes = said.map(({ note }) => note)
  const texts = [
    ...[id, application, ticket, reason, why, ...notes],
    ...people.flatMap((who) => [who.id, who.name, who.email]),
  ]
  const found = foundWordsIn(texts.filter((each) => each !== undefined).join('\n'))
  const words = wordsOf(text)
  return words.length > 0 && words.every((word) => found.some((each) => each.startsWith(word)))
}
