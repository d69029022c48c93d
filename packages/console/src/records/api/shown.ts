import {
  type AuditRecord,
  canSay,
  SAID_EVENTS,
  type SaidEvent,
  type Speaking,
  unapprovedBy,
} from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../kernel/roles.ts'
import { canChange, nameIn } from '../../web/applications.ts'
import type { Call, CustomerCall } from '../../web/parts.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { ticketUrlOf } from '../../web/ticket.ts'
import { recordAt, type Standing, type StandingChoice } from '../record-at.ts'
import type { Records } from '../records.ts'
import { refusalsIn } from '../refusals.ts'
import { type Approvers, speakerOf } from '../who.ts'

/** The largest number of people that are named of those who can decide. */
const MAX_NAMED = 3

/** The parts of the API that records add. */
export interface RecordParts {
  readonly records: Records
  /** Finds or stores the answer of a customer for all requests. Absent if customers are asked each time. */
  readonly answer: ((customer: string, choice?: StandingChoice) => Promise<Standing>) | undefined
  /** Requests to erase: of the feature for personal data. */
  readonly erasures: {
    /** Finds all of them, for a person who may erase. */
    find(call: Call): Promise<readonly RecordAnswer[]>
    /** @returns the number of what was erased */
    confirm(
      call: Call,
      id: string,
      note: string | undefined,
    ): Promise<{ readonly impersonations: number; readonly permits: number }>
  }
}

export type RecordCall = Call & RecordParts
export type CustomerRecordCall = CustomerCall & Pick<RecordParts, 'answer' | 'records'>

/** The events that a person may say now. */
export function mayOf(record: AuditRecord, person: Speaking, now: number) {
  return SAID_EVENTS.filter((event) => canSay(record, event, person, now))
}

/** The events that an approver may say now. */
export const mayOfApprover = (record: AuditRecord, now: number) =>
  mayOf(record, { id: '', is: ['approver'] }, now)

/** Checks whether a record waits for a person who may say these. A stop by a lead waits for nobody. */
export function isAwaited(
  { kind, customer }: Pick<AuditRecord, 'customer' | 'kind'>,
  may: readonly SaidEvent[],
) {
  return may.some((event) => event !== 'revoked') && !(kind === 'stop' && !customer)
}

/** Shows a record to a person of the support, or `undefined` to a person who sees nothing of it. */
export async function recordFor(call: RecordCall, record: AuditRecord) {
  const { caller, now, records } = call
  const isMine = record.operator?.id === caller.id
  const isAsked = !isMine && mayOfApprover(record, now()).length > 0
  const approvers = isAsked ? await records.who.approvers(record) : []
  const { is } = speakerOf(caller.id, caller.role === 'lead', approvers)
  const shown = shownRecord(record, call, is)
  const isSeen = isMine || isAudited(caller.role) || hasSaid(record, caller.id)
  if (!isSeen && shown.may.length === 0) return undefined
  if (!shown.may.includes('granted') && !shown.may.includes('reviewed')) return shown
  return { ...shown, declinedBefore: await findDeclined(record, call) }
}

/** A record as the caller is shown it. @param is the roles beside those that the record names */
export function shownRecord(
  record: AuditRecord,
  call: Pick<CustomerCall, 'caller' | 'language' | 'now' | 'settings'>,
  is: Speaking['is'] = [],
): RecordAnswer {
  const { caller, language, now, settings } = call
  const { application, scope, ticket } = record
  const { applications } = settings
  const known = applications.find(({ clientId }) => clientId === application)
  return {
    ...withoutNotes(recordAt(record, now()), caller.id),
    // It leads to the person.
    ...(record.kind === 'erasure' && { impersonation: undefined, record: undefined }),
    applicationName: known && nameIn(known, language),
    canChange: canChange(applications, application, scope),
    ticketUrl: ticketUrlOf(ticket, settings),
    ...unapprovedBy(record),
    isMine: record.operator?.id === caller.id,
    may: mayOf(record, { id: caller.id, is }, now()),
  }
}

/** Takes the notes from a stop for its operator: they are between a customer and a lead. */
export function withoutNotes<R extends Pick<AuditRecord, 'kind' | 'note' | 'operator' | 'said'>>(
  record: R,
  reader: string | undefined,
): R {
  const { kind, operator, said } = record
  if (kind !== 'stop' || operator?.id !== reader) return record
  return { ...record, note: undefined, said: said.map(({ note: _, ...each }) => each) }
}

export function hasSaid(
  { by, operator, said }: Pick<AuditRecord, 'by' | 'operator' | 'said'>,
  id: string,
) {
  return [by, operator, ...said.map((each) => each.by)].some((each) => each?.id === id)
}

/** Finds what was declined before. An emergency keeps it. */
async function findDeclined(record: AuditRecord, { now, records }: RecordCall) {
  const { application, customer, declined, operator } = record
  const filter = { customer: customer?.id, operator: operator?.id, state: 'declined' } as const
  const found = declined
    ? await Promise.all(declined.map(records.find))
    : await records.list({ ...filter, notOverAt: now() })
  const before = refusalsIn(found, application).map(({ record: { id, ticket }, by, at, note }) => {
    return { id, at, by, note, ticket }
  })
  return before.length > 0 ? before : undefined
}

/** The people who can decide: at most 3 names, and how many there are beside these. Leads are not named. */
export function shownDeciders(approvers: Approvers) {
  const all = approvers ?? []
  const names = all.slice(0, MAX_NAMED).map(({ id, name }) => name ?? id)
  return { names, others: all.length - names.length, isLeads: !approvers }
}
