import { present } from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../../../kernel/roles.ts'
import { canChange, nameIn } from '../../../../web/applications.ts'
import { orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { Call, CustomerCall } from '../../../../web/parts.ts'
import {
  type RecordAnswer,
  SAID_EVENTS,
  type SaidEvent,
  type SupportRecord,
} from '../../../../web/record-answer.ts'
import { ticketLink } from '../../../../web/ticket-link.ts'
import type { Approver, Permits } from '../options.ts'
import type { Pauses } from '../pauses.ts'
import type { DecidersAnswer } from './answers.ts'
import { canSay, type Person } from './kinds.ts'
import { sourceOf } from './record-of.ts'

/** How many people are named of those who can decide. */
const MAX_NAMED = 3

/** What records add to the parts of the API. */
export interface PermitParts {
  /** Absent if the console has none. */
  readonly permits: Permits | undefined
  /** Operators who may not start, with permits and without. */
  readonly pauses: Pauses
}

/** Requests to erase: of the feature for personal data. */
export interface ErasureRecords<C> {
  /** Those that the caller can confirm. */
  find(call: C): Promise<readonly RecordAnswer[]>
  /** @returns how much was erased */
  confirm(call: C, id: string, note: string | undefined): Promise<number>
}

export interface StaffParts extends PermitParts {
  readonly erasures: ErasureRecords<Call>
}

export type PermitCall = Call & StaffParts
export type CustomerPermitCall = CustomerCall & PermitParts

/** @throws Problem 404 if the console has no permits */
export function requirePermits({ permits }: PermitParts): Permits {
  if (permits) return permits
  throw new Problem(404, 'not_found', 'there is nothing here')
}

/** Finds who may decide on a record. `undefined`: the leads. */
export async function findApprovers(
  record: SupportRecord,
  { permits }: PermitCall,
): Promise<readonly Approver[] | undefined> {
  const source = sourceOf(record)
  return orUnavailable(
    'who can decide cannot be looked up now',
    () => source && permits?.findApprovers(source),
  )
}

/** A person of the support. @param approvers `undefined`: the leads */
export function personOf(
  { caller: { id, role } }: Pick<Call, 'caller'>,
  approvers: readonly Approver[] | undefined,
): Person {
  const isApprover = approvers?.some((each) => each.id === id) ?? role === 'lead'
  return { id, is: isApprover ? ['approver'] : [] }
}

/** What a person may say now. */
export function mayOf(record: SupportRecord, person: Person): readonly SaidEvent[] {
  return SAID_EVENTS.filter((event) => canSay(record, event, person))
}

const SOMEBODY: Person = { id: undefined, is: ['approver'] }

/** Whether an approver has a word to say about a record now. */
export const awaitsApprover = (record: SupportRecord) => mayOf(record, SOMEBODY).length > 0

/** Whether a record waits for a person who may say these. A stop by a lead waits for nobody. */
export function isAwaited(
  { kind, customer }: SupportRecord,
  may: readonly SaidEvent[],
): boolean {
  return may.some((event) => event !== 'revoked') && !(kind === 'stop' && !customer)
}

/** Shows a record to a person of the support, or `undefined` to a person who sees nothing of it. */
export async function shownTo(
  call: PermitCall,
  record: SupportRecord,
  find = findApprovers,
): Promise<RecordAnswer | undefined> {
  const { caller } = call
  const isMine = record.operator?.id === caller.id
  const isAsked = !isMine && awaitsApprover(record)
  const shown = shownRecord(record, call, isAsked ? await find(record, call) : [])
  const isSeen = isMine || isAudited(caller.role) || hasSaid(record, caller.id)
  if (!isSeen && shown.may.length === 0) return undefined
  if (!shown.may.includes('granted') && !shown.may.includes('reviewed')) return shown
  return { ...shown, ...present({ declinedBefore: await findDeclined(record, call) }) }
}

/** @param approvers who may decide; `undefined`: the leads */
export function shownRecord(
  record: SupportRecord,
  call: Pick<Call, 'caller' | 'language' | 'settings'>,
  approvers: readonly Approver[] | undefined = [],
): RecordAnswer {
  return {
    ...withoutNotes(record, call.caller.id),
    ...namedIn(record, call),
    isMine: record.operator?.id === call.caller.id,
    may: mayOf(record, personOf(call, approvers)),
  }
}

/** What a customer and a lead say of an operator's work is between them. */
export function withoutNotes(record: SupportRecord, reader: string | undefined): SupportRecord {
  const { kind, note: _, operator, said, ...rest } = record
  if (kind !== 'stop' || operator?.id !== reader) return record
  return { ...rest, kind, operator, said: said.map(({ note: _, ...each }) => each) }
}

export function hasSaid({ by, operator, said }: SupportRecord, id: string): boolean {
  return [by, operator, ...said.map((each) => each.by)].some((each) => each?.id === id)
}

/** What the console knows of the application and of the ticket. */
export function namedIn(
  { application, scope, ticket }: SupportRecord,
  { language, settings }: Pick<Call, 'language' | 'settings'>,
) {
  const { applications } = settings
  const known = applications.find(({ clientId }) => clientId === application)
  return {
    ...present({
      applicationName: known && nameIn(known, language),
      canChange: canChange(applications, application, scope),
    }),
    ...ticketLink(ticket, settings),
  }
}

async function findDeclined(
  record: SupportRecord,
  { permits }: PermitParts,
): Promise<RecordAnswer['declinedBefore']> {
  const source = sourceOf(record)
  if (!source || source.kind === 'pause') return undefined
  const found = (await permits?.refusals(source)) ?? []
  if (found.length === 0) return undefined
  return found.map(({ permit: { id, ticket, decisions }, by, at }) => {
    const note = decisions.find(({ isGranted }) => !isGranted)?.note
    return { id, by, at, ...present({ ticket, note }) }
  })
}

export function shownDeciders(approvers: readonly Approver[] | undefined): DecidersAnswer {
  if (!approvers) return { names: [], others: 0, isLeads: true }
  const names = approvers.slice(0, MAX_NAMED).map(({ id, name }) => name ?? id)
  return { names, others: approvers.length - names.length, isLeads: false }
}
