import { type AuditEntry, isRefusal, USED_EVENT } from '../format/entry.ts'
import { sumWith } from '../format/fold.ts'
import type { AuditRow } from '../format/row.ts'
import { EVENT_SENTENCES, endingIn, fill, sentenceFor } from '../format/sentence.ts'
import type { ReadEntry } from './lines.ts'

/** Returns a line for each entry of an impersonation. The time, in UTC, comes first. */
export function sentencesOf(id: string, entries: readonly ReadEntry[]): string[] {
  const row = entries.reduce<AuditRow | undefined>(
    (sum, { reported }) => (reported ? sumWith(sum, id, reported) : sum),
    undefined,
  )
  return entries.map(({ time, reported, text }) => {
    const said = reported ? entryInWords(reported, row) : textlessSentence(text === undefined)
    const { count = 1 } = reported ?? {}
    return `${utcOf(time)}  ${said}${count === 1 ? '' : ` (${count} times more, the last)`}`
  })
}

/** A moment in UTC, to the millisecond: `2026-11-22 10:40:44.012 UTC`. */
export function utcOf(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

function textlessSentence(isRemoved: boolean): string {
  return isRemoved
    ? 'What it said was removed: its time was over, or it was erased.'
    : 'Something of which this version does not know the kind.'
}

/**
 * Returns the sentence of an entry, with the facts that it has beside. Text that a person wrote is
 * in quotes, so that nobody takes it for the words of this command.
 */
export function entryInWords(entry: AuditEntry, row: Partial<AuditRow> = {}): string {
  const { event, context, denial, end, use, client, continues } = entry
  const { [USED_EVENT]: request } = EVENT_SENTENCES
  const isRefused = isRefusal(entry)
  const slots = {
    // Any holder of the token may have sent a refused request, not only the operator of the row.
    operator: operatorIn(entry, row, isRefused ? undefined : row.operator?.id),
    customer: named(entry.userId ?? row.customer?.id, row),
    person: personIn(entry, row),
    application: client ?? 'an unknown application',
    earlier: continues === undefined ? 'an unknown one' : `the impersonation ${continues}`,
    method: use?.method ?? request.anyMethod,
    path: quoted(use?.path) ?? '',
    status: use?.status ?? 0,
  }
  const sentence = fill(sentenceFor(EVENT_SENTENCES, entry, row), slots)
  const told =
    event === USED_EVENT ? `${fill(request.request, slots).trim()}: ${sentence}.` : sentence
  const details: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Who', isRefused ? `${slots.operator} as ${slots.customer}` : undefined],
    ['Ticket', quoted(context?.ticketId)],
    ['Reason', quoted(context?.reason)],
    ['Rights', event === 'impersonation.started' ? quoted(entry.scope) : undefined],
    ['Permit', [entry.permit ?? []].flat().join(' and ')],
    ['To be looked at afterwards', quoted(entry.review)],
    ['Because', quoted(denial?.reason || denial?.error)],
    ['Because', quoted(use?.refused?.description)],
    ['Because', endingIn(entry, row) === 'left' ? undefined : quoted(end?.reason)],
    ['Note', quoted(entry.note)],
    ['About', entry.delivery?.kind],
  ]
  return [told, ...details.flatMap(([name, value]) => (value ? `${name}: ${value}.` : []))].join(
    ' ',
  )
}

/** The person who ended it, or who acted in the console or on the account page. */
function personIn({ end, by, names }: AuditEntry, row: Partial<AuditRow>): string {
  const id = end?.by?.sub ?? by
  const name = names?.by?.name
  return id === undefined || name === undefined ? named(id, row) : `${name} (${id})`
}

/** @param otherwise the id of the person, where the entry names none */
function operatorIn(
  { actor, mayAct, software }: AuditEntry,
  row: Partial<AuditRow>,
  otherwise: string | undefined,
): string {
  const program = software ?? (otherwise === undefined ? undefined : row.software)
  const person = actor?.sub ?? mayAct?.sub ?? otherwise
  if (program === undefined) return named(person, row)
  return person === undefined ? `the software ${program}` : `${program} for ${named(person, row)}`
}

/** `Alice Ng (alice)`, with the name that the entries have. */
function named(id: string | undefined, { customer, operator }: Partial<AuditRow>): string {
  if (id === undefined) return 'an unknown person'
  const person = [operator, customer].find((one) => one?.id === id)
  return person?.name === undefined ? id : `${person.name} (${id})`
}

function quoted(text: unknown): string | undefined {
  return typeof text === 'string' && text !== '' ? JSON.stringify(text) : undefined
}
