import {
  type AuditRecord,
  canSay,
  recordStateAt,
  SAID_EVENTS,
  type SaidEvent,
  type Speaking,
  saidIn,
  unapprovedBy,
} from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../../../kernel/roles.ts'
import { recordAt } from '../../../../records/record-at.ts'
import type { Records } from '../../../../records/records.ts'
import type { Approver } from '../../../../records/who.ts'
import { canChange, nameIn } from '../../../../web/applications.ts'
import { orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { Call, CustomerCall } from '../../../../web/parts.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { ticketLink } from '../../../../web/ticket.ts'
import type { ConsolePermits } from '../options.ts'
import { findRecord, findRecords } from './read.ts'

/** How many people are named of those who can decide. */
const MAX_NAMED = 3

/** What records add to the parts of the API. */
export interface PermitParts {
  /** Absent if the console has none. */
  readonly permits: ConsolePermits | undefined
  /** What waits for a word, with permits and without. */
  readonly records: Records
}

/** Requests to erase: of the feature for personal data. */
export interface ErasureRecords<C> {
  /** All of them, for a person who may erase. */
  find(call: C): Promise<readonly RecordAnswer[]>
  confirm(call: C, id: string, note: string | undefined): Promise<ErasedRecords>
}

/** How much was erased. */
export interface ErasedRecords {
  readonly impersonations: number
  readonly permits: number
}

export interface StaffParts extends PermitParts {
  readonly erasures: ErasureRecords<Call>
}

export type PermitCall = Call & StaffParts
export type CustomerPermitCall = CustomerCall & PermitParts

/** @throws Problem 404 if the console has no permits */
export function requirePermits({ permits }: PermitParts): ConsolePermits {
  if (permits) return permits
  throw new Problem(404, 'not_found', 'there is nothing here')
}

/** Finds who may decide on a record. `undefined`: the leads. */
export async function findApprovers(
  record: AuditRecord,
  { now, records }: PermitCall,
): Promise<readonly Approver[] | undefined> {
  return orUnavailable('who can decide cannot be looked up now', () =>
    records.who.approvers(recordAt(record, now())),
  )
}

/** A person of the support. @param approvers `undefined`: the leads */
export function speakerIn(
  { caller: { id, role } }: Pick<Call, 'caller'>,
  approvers: readonly Approver[] | undefined,
): Speaking {
  const isLead = role === 'lead'
  const is: Speaking['is'] = isLead ? ['lead'] : []
  const isApprover = approvers?.some((each) => each.id === id) ?? isLead
  return { id, is: isApprover ? [...is, 'approver'] : is }
}

/** What a person may say now. */
export function mayOf(record: AuditRecord, person: Speaking, now: number): readonly SaidEvent[] {
  return SAID_EVENTS.filter((event) => canSay(record, event, person, now))
}

const SOMEBODY: Speaking = { id: '', is: ['approver'] }

/** Whether an approver has a word to say about a record now. */
export const awaitsApprover = (record: AuditRecord, now: number) =>
  mayOf(record, SOMEBODY, now).length > 0

/** Whether a record waits for a person who may say these. A stop by a lead waits for nobody. */
export function isAwaited(
  { kind, customer }: Pick<AuditRecord, 'customer' | 'kind'>,
  may: readonly SaidEvent[],
): boolean {
  return may.some((event) => event !== 'revoked') && !(kind === 'stop' && !customer)
}

/** Shows a record to a person of the support, or `undefined` to a person who sees nothing of it. */
export async function recordFor(
  call: PermitCall,
  record: AuditRecord,
  find = findApprovers,
): Promise<RecordAnswer | undefined> {
  const { caller } = call
  const isMine = record.operator?.id === caller.id
  const isAsked = !isMine && awaitsApprover(record, call.now())
  const shown = shownRecord(record, call, isAsked ? await find(record, call) : [])
  const isSeen = isMine || isAudited(caller.role) || hasSaid(record, caller.id)
  if (!isSeen && shown.may.length === 0) return undefined
  if (!shown.may.includes('granted') && !shown.may.includes('reviewed')) return shown
  return { ...shown, declinedBefore: await findDeclined(record, call) }
}

/** @param approvers who may decide; `undefined`: the leads */
export function shownRecord(
  record: AuditRecord,
  call: Pick<Call, 'caller' | 'language' | 'now' | 'settings'>,
  approvers: readonly Approver[] | undefined,
): RecordAnswer {
  const now = call.now()
  const { deliveries: _, lastAt: __, version: ___, ...rest } = record
  return {
    ...withoutNotes(rest, call.caller.id),
    ...namedIn(record, call),
    // It leads to the person.
    ...(record.kind === 'erasure' && { impersonation: undefined, record: undefined }),
    state: recordStateAt(record, now),
    ...unapprovedBy(record),
    isMine: record.operator?.id === call.caller.id,
    may: mayOf(record, speakerIn(call, approvers), now),
  }
}

/** What a customer and a lead say of an operator's work is between them. */
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
): boolean {
  return [by, operator, ...said.map((each) => each.by)].some((each) => each?.id === id)
}

/** What the console knows of the application and of the ticket. */
export function namedIn(
  { application, scope, ticket }: AuditRecord,
  { language, settings }: Pick<Call, 'language' | 'settings'>,
) {
  const { applications } = settings
  const known = applications.find(({ clientId }) => clientId === application)
  return {
    applicationName: known && nameIn(known, language),
    canChange: canChange(applications, application, scope),
    ...ticketLink(ticket, settings),
  }
}

/** An emergency keeps what was declined before it. */
async function findDeclined(
  record: AuditRecord,
  call: PermitCall,
): Promise<RecordAnswer['declinedBefore']> {
  const { application, customer, declined, operator } = record
  const filter = { customer: customer?.id, operator: operator?.id, state: 'declined' } as const
  const found = declined
    ? await Promise.all(declined.map((id) => findRecord(call, id)))
    : await findRecords(call, { ...filter, notOverAt: call.now() })
  const before = found.flatMap((each) => {
    const said = each && saidIn(each, 'declined')
    if (!said || each.application !== application) return []
    const { by, at, note } = said
    return [{ id: each.id, at, by, note, ticket: each.ticket }]
  })
  return before.length > 0 ? before : undefined
}

/** Who can decide now: at most 3 names, and how many there are beside these. Leads are not named. */
export function shownDeciders(approvers: readonly Approver[] | undefined) {
  const all = approvers ?? []
  const names = all.slice(0, MAX_NAMED).map(({ id, name }) => name ?? id)
  return { names, others: all.length - names.length, isLeads: !approvers }
}
