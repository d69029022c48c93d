import { asciiJson } from './ascii-json.ts'
import {
  type AuditRecord,
  RECORD_KINDS,
  RECORD_STATES,
  SAID_EVENTS,
  type SaidWord,
  type StoredRecord,
} from './audit-record.ts'
import { dueAtOf, foldDeliveries, nextToTell } from './delivery.ts'
import { type AuditEntry, isDeliveryEvent, permitOf } from './entry.ts'
import { type Guard, isAbsentOr, isInteger, isListOf, isObjectOf, isText } from './guards.ts'
import { DAY_MS, isReviewDue, KINDS, may } from './kinds.ts'
import { nonEmptyText, positiveInteger, present } from './present.ts'
import type { AuditPerson } from './row.ts'
import { allStorable } from './text.ts'
import { NOTICE_KINDS, PERMIT_CHANGES, type PermitChange } from './to-tell.ts'

/**
 * Least time to watch a revoked record, in milliseconds. It is watched until its window would have
 * ended, too: another process may have to end what runs.
 */
const ENDING_TIME_MS = 600_000

/**
 * Adds an entry to a record.
 *
 * @param record the record so far; `undefined` for its first entry
 * @throws TypeError for an entry that does not fit
 */
export function foldRecord(record: AuditRecord | undefined, told: AuditEntry): AuditRecord {
  const entry = allStorable(told)
  const isOfMessage = isDeliveryEvent(entry.event)
  const next = record && isOfMessage ? { ...record, version: record.version + 1 } : undefined
  const folded = next ?? (record ? withSaid(record, entry) : begin(entry))
  return { ...folded, ...present({ deliveries: foldDeliveries(folded.deliveries, entry) }) }
}

/** Returns the change of a permit that an entry is. */
export function changeOf({ event }: Pick<AuditEntry, 'event'>): PermitChange | undefined {
  return PERMIT_CHANGES.find((change) => event === `support.${change}`)
}

/** The next change to tell the deployment. */
export function pendingChangeOf({ deliveries }: Pick<AuditRecord, 'deliveries'>) {
  return deliveries?.deployment && nextToTell(deliveries.deployment, PERMIT_CHANGES)
}

/**
 * Returns the next notice for the customer. A request that is decided needs no notice any more.
 */
export function pendingNoticeOf({ deliveries, state }: AuditRecord) {
  const pending = deliveries?.customer && nextToTell(deliveries.customer, NOTICE_KINDS)
  return pending?.kind === 'asked' && state !== 'requested' ? undefined : pending
}

function begin(entry: AuditEntry): AuditRecord {
  const { event, timeMs: time, userId, mayAct, by, resource, scope, note, terms, names } = entry
  const kind = RECORD_KINDS.find((each) => KINDS[each].begins[event] !== undefined)
  const state = kind && KINDS[kind].begins[event]
  const id = permitOf(entry)
  if (!kind || !state) throw new TypeError(`${event} is about a record that there is not`)
  if (!id) throw new TypeError(`${event} must name the record`)
  const { context = {} } = entry
  const record: AuditRecord = {
    id,
    kind,
    state,
    ...present({
      customer: namedPerson(userId, names?.user),
      operator: namedPerson(mayAct?.sub, names?.actor),
      by: namedPerson(by, names?.by),
      note: nonEmptyText(note),
      application: nonEmptyText(mayAct?.clientId),
      resource: nonEmptyText(resource),
      scope: nonEmptyText(scope),
      ticket: nonEmptyText(context.ticketId),
      reason: nonEmptyText(context.reason),
      why: nonEmptyText(context.why),
      declined: terms?.declined,
      for: terms?.for,
      duration: positiveInteger(context.duration),
      impersonation: nonEmptyText(context.impersonation),
      record: nonEmptyText(context.permit),
      lapsesAt: terms?.lapsesAt,
    }),
    needs: terms?.needs ?? [],
    requestedAt: time,
    said: [],
    version: 1,
    lastAt: time,
  }
  const missing = KINDS[kind].has.find((member) => record[member] === undefined)
  if (missing) throw new TypeError(`${event} must have the member ${missing} of the record`)
  return state === 'granted' ? withWindow(record, time) : record
}

function namedPerson(id: string | undefined, named: object | undefined): AuditPerson | undefined {
  return id === undefined || id === '' ? undefined : { id, ...named }
}

function withWindow(record: AuditRecord, grantedAt: number): AuditRecord {
  return { ...record, grantedAt, until: grantedAt + (record.for ?? 0) * 1000 }
}

/** Any later entry: somebody says something of it. */
function withSaid(before: AuditRecord, entry: AuditEntry): AuditRecord {
  const { timeMs: at, by, note, need, names } = entry
  const event = SAID_EVENTS.find((each) => entry.event === `support.${each}`)
  // The caller has checked the roles of the person. The record alone knows who is concerned.
  const anybody = { id: by, is: ['approver', 'eraser', 'lead'] } as const
  const word = event ? may(before, event, anybody, undefined) : 'state'
  if (!event || typeof word === 'string' || word.need !== need) {
    throw new TypeError(`${entry.event} does not fit what is ${before.state}`)
  }
  const told: SaidWord = {
    event,
    ...present({ by: namedPerson(by, names?.by) }),
    at,
    ...present({ need, note: nonEmptyText(note) }),
  }
  const record = {
    ...before,
    version: before.version + 1,
    lastAt: Math.max(before.lastAt, at),
    said: [...before.said, told],
  }
  const { to = before.state } = word.transition
  if (to !== 'granted') return { ...record, state: to }
  // The window begins when the last need is met.
  const isMet = record.needs.every((each) => isNeedMet(record, each))
  return isMet ? withWindow({ ...record, state: to }, at) : record
}

/** Returns true if somebody granted each need. */
export function isNeedMet({ said }: Pick<AuditRecord, 'said'>, need: SaidWord['need']): boolean {
  return said.some((each) => each.event === 'granted' && each.need === need)
}

/** The last word of a kind. */
export function saidIn(
  { said }: Pick<AuditRecord, 'said'>,
  event: SaidWord['event'],
): SaidWord | undefined {
  return said.findLast((each) => each.event === event)
}

/** A record as it is kept, with the members by which it is found. */
export function storedRecordOf(record: AuditRecord, slot: string): StoredRecord {
  const { id, version, kind, requestedAt: at, customer, operator, state, deliveries = {} } = record
  const over = recordOverAt(record)
  const { customer: toCustomer, deployment } = deliveries
  const toldAt = Math.max(toCustomer?.last?.at ?? 0, deployment?.last?.at ?? 0)
  const change = pendingChangeOf(record)
  return {
    id,
    version,
    kind,
    at,
    slot,
    state,
    isReviewDue: isReviewDue(record),
    customer: customer?.id,
    operator: operator?.id,
    overAt: over === undefined ? undefined : Math.max(over, toldAt),
    ...present({
      customerDueAt: toCustomer && pendingNoticeOf(record) && dueAtOf(toCustomer, at),
      deploymentDueAt:
        deployment && change && dueAtOf(deployment, deployment.due[change.kind]?.at ?? 0),
    }),
    data: asciiJson(record),
  }
}

function recordOverAt(record: AuditRecord): number | undefined {
  const { state, lastAt, lapsesAt = 0, until = 0 } = record
  if (isReviewDue(record)) return undefined
  switch (state) {
    // It holds until another one is said.
    case 'allow':
    case 'ask':
    case 'stopped':
      return undefined
    case 'requested':
    case 'asked':
      return Math.max(lastAt, lapsesAt)
    case 'granted':
      return Math.max(lastAt, until)
    case 'revoked':
      return Math.max(lastAt + ENDING_TIME_MS, until)
    case 'declined':
      return lastAt + DAY_MS
    default:
      return lastAt
  }
}

/** @throws Error for what is no record: what cannot be read allows nothing */
export function parseRecord({ id, data }: Pick<StoredRecord, 'data' | 'id'>): AuditRecord {
  const record = jsonIn(data)
  const isWhole = isRecord(record) && KINDS[record.kind].has.every((name) => name in record)
  if (isWhole && record.id === id) return record
  throw new Error('the storage of the audit has a record that cannot be read')
}

/** The error of the parser quotes the text, which is about a person, and goes to the log. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One of a version to come allows nothing. */
function isOneOf<const T extends string>(all: readonly T[]): Guard<T> {
  return (value): value is T => all.some((each) => each === value)
}

const isAnything = (_value: unknown): _value is undefined => true
const mayBeText = isAbsentOr(isText)
const mayBeInteger = isAbsentOr(isInteger)
const isNeed = isOneOf(['second_person', 'user'])
const isPerson = isObjectOf<AuditPerson>({ id: isText, name: mayBeText, email: mayBeText })
const mayBePerson = isAbsentOr(isPerson)

const isRecord = isObjectOf<AuditRecord>({
  id: isText,
  kind: isOneOf(RECORD_KINDS),
  state: isOneOf(RECORD_STATES),
  customer: mayBePerson,
  operator: mayBePerson,
  by: mayBePerson,
  note: mayBeText,
  application: mayBeText,
  resource: mayBeText,
  scope: mayBeText,
  ticket: mayBeText,
  reason: mayBeText,
  why: mayBeText,
  declined: isAbsentOr(isListOf(isText)),
  needs: isListOf(isNeed),
  for: mayBeInteger,
  duration: mayBeInteger,
  impersonation: mayBeText,
  record: mayBeText,
  requestedAt: isInteger,
  lapsesAt: mayBeInteger,
  grantedAt: mayBeInteger,
  until: mayBeInteger,
  said: isListOf(
    isObjectOf<SaidWord>({
      event: isOneOf(SAID_EVENTS),
      by: mayBePerson,
      at: isInteger,
      need: isAbsentOr(isNeed),
      note: mayBeText,
    }),
  ),
  // The fold of deliveries checks them.
  deliveries: isAnything,
  version: isInteger,
  lastAt: isInteger,
})
