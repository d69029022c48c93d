import { type AuditEntry, MISLABELLED_EVENT, SET_ASIDE } from '../format/entry.ts'
import { fold } from '../format/fold.ts'
import { type AuditRow, endingOf } from '../format/row.ts'
import type { ImpersonationEntry } from './impersonation.ts'

/** What the entries of an impersonation say, one line for each, the time in UTC first. */
export function sentencesOf(id: string, entries: readonly ImpersonationEntry[]): string[] {
  const row = entries.reduce<AuditRow | undefined>(
    (sum, { entry, count, time, lastTime = time }) =>
      entry ? fold(sum, id, { entry, count, lastTime }) : sum,
    undefined,
  )
  return entries.map(({ time, entry, isRemoved, count, lastTime }) => {
    const repeated = lastTime === undefined ? '' : ` (${count} times, the last ${utcOf(lastTime)})`
    return `${utcOf(time)}  ${row && entry ? sentenceOf(entry, row) : textlessSentence(isRemoved)}${repeated}`
  })
}

/** A moment in UTC, to the millisecond: `2026-11-22 10:40:44.012 UTC`. */
export function utcOf(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

function textlessSentence(isRemoved: boolean): string {
  return isRemoved
    ? 'what it said was removed: its time was over, or it was erased'
    : 'something of which this version does not know the kind'
}

function sentenceOf(entry: AuditEntry, row: AuditRow): string {
  const { event, context, denial, end, use, scope, client } = entry
  const ticket = textIn(context?.ticketId) ?? row.ticket
  const about = ticket === undefined ? '' : `, ticket ${ticket}`
  const operator = operatorIn(entry, row, row.operator?.id)
  const customer = named(entry.subject ?? row.customer?.id, row)
  const by = named(entry.by, row)
  const acting = `${operator} as ${customer}${about}`
  switch (event) {
    case 'impersonation.issued': {
      const reason = textIn(context?.reason)
      return `${operator} asked to act as ${customer}${about}${quoted(reason)}`
    }
    case 'impersonation.started':
      return `${operator} started to act as ${customer} in ${client ?? 'an unknown application'}${about}, with the rights ${JSON.stringify(scope ?? '')}${allowedBy(entry)}`
    case 'impersonation.used': {
      const { method = 'a request', path = '', status, refused } = use ?? {}
      const answer = status === undefined ? 'without a known answer' : `answered ${status}`
      const result = refused ? `refused${quoted(refused.description)}` : answer
      return `${acting}: ${`${method} ${path}`.trim()}, ${result}`
    }
    case 'impersonation.denied':
    case 'support.refused': {
      // What is refused may come from any holder of the token: not from the operator of the row.
      const caller = operatorIn(entry, row, undefined)
      const refuser = event === 'support.refused' ? 'the console' : 'the provider'
      const request = DENIED_REQUESTS[denial?.stage ?? 'issue']
      return `${refuser} refused a request of ${caller} ${request} ${customer}${about}${quoted(denial?.reason || denial?.error)}`
    }
    case 'impersonation.replayed':
      return `the subject token for ${acting} was used again, and refused`
    case 'impersonation.ended':
      return `${endOf(entry, row)}: ${acting}${quoted(end?.reason)}`
    case 'support.continued':
      return `${operator} continued the impersonation ${entry.continues ?? '(unknown)'} with this one, as ${customer}${about}`
    case 'support.acknowledged':
    case 'support.held':
    case 'support.released':
    case 'support.objected':
    case 'support.exported':
      return `${by} ${ACT_SENTENCES[event]}: ${acting}${quoted(entry.note)}`
    case 'support.notifying':
    case 'support.notified':
    case 'support.unnotified':
      return `the customer ${NOTICE_SENTENCES[event]} (${entry.notice?.kinds.join(', ') ?? ''}): ${acting}`
    case MISLABELLED_EVENT:
      return 'the storage had another customer than the entries when it was to be erased: somebody changed it'
    case SET_ASIDE:
      return 'an entry could not be stored as it was handed over: the log of the server has it'
    default:
      return event
  }
}

/** The permit, and that a person has to look at it afterwards. */
function allowedBy({ permit, review }: AuditEntry): string {
  const permits = permit === undefined ? '' : `, by the permit ${[permit].flat().join(' and ')}`
  return permits + (review === undefined ? '' : `, to be looked at afterwards${quoted(review)}`)
}

const DENIED_REQUESTS = {
  issue: 'to act as',
  exchange: 'to start acting as',
  end: 'to end acting as',
} as const

const ACT_SENTENCES = {
  'support.acknowledged': 'acknowledged the alarm',
  'support.held': 'put it on hold',
  'support.released': 'released it',
  'support.objected': 'objected, as the customer',
  'support.exported': 'exported it',
} as const

const NOTICE_SENTENCES = {
  'support.notifying': 'is being told',
  'support.notified': 'was told',
  'support.unnotified': 'could not be told',
} as const

const END_SENTENCES = {
  left: 'left the page, which ended it',
  operator: 'ended it, as the operator',
  other: 'ended it',
  user: 'ended it, as the customer',
  operator_signed_out: 'signed out, which ended it',
} as const

function endOf({ end, names }: AuditEntry, row: AuditRow): string {
  const { cause = 'requested', by, reason } = end ?? {}
  const { operator } = row
  const ending = endingOf({ end: { at: 0, cause, by: by?.sub, reason }, operator }) ?? 'provider'
  if (ending === 'replay') return 'the provider ended it, since the token was used again'
  if (ending === 'policy') return 'a rule ended it'
  if (ending === 'provider') return 'the provider ended it'
  const name = names?.by?.name
  const person = name === undefined ? named(by?.sub, row) : `${name} (${by?.sub})`
  return `${person} ${END_SENTENCES[ending]}`
}

/** @param otherwise the id of the person, where the entry names none */
function operatorIn(
  { actor, mayAct, software }: AuditEntry,
  row: AuditRow,
  otherwise: string | undefined,
): string {
  const program = software ?? (otherwise === undefined ? undefined : row.software)
  const person = actor?.sub ?? mayAct?.sub ?? otherwise
  if (program === undefined) return named(person, row)
  return person === undefined ? `the software ${program}` : `${program} for ${named(person, row)}`
}

/** `Alice Ng (alice)`, with the name that the entries have. */
function named(id: string | undefined, { customer, operator }: AuditRow): string {
  if (id === undefined) return 'an unknown person'
  const person = [operator, customer].find((one) => one?.id === id)
  return person?.name === undefined ? id : `${person.name} (${id})`
}

/** In quotes, so that what a person wrote is not taken for the words of this command. */
function quoted(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `, ${JSON.stringify(text)}`
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
