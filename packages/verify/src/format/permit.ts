import { asciiJson } from './ascii-json.ts'
import {
  type AllDeliveries,
  dueAtOf,
  foldDeliveries,
  NOTICE_KINDS,
  PERMIT_CHANGES,
  type PermitChange,
  pendingOf,
} from './delivery.ts'
import { type AuditEntry, isDeliveryEvent, permitOf } from './entry.ts'
import { beginPause, foldPause, type PauseRecord, storedPauseOf } from './pause.ts'
import { nonEmptyText, positiveInteger, present } from './present.ts'
import type { AuditPerson } from './row.ts'
import { beginStanding, foldStanding, type StandingRecord, storedStandingOf } from './standing.ts'
import type { StoredPermit, StoredPermitState } from './stored-permit.ts'
import { allStorable } from './text.ts'
import type { Need } from './told.ts'

/** What one person said of one need. */
export interface PermitDecision {
  readonly need: Need
  readonly by: AuditPerson
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly isGranted: boolean
  readonly note?: string | undefined
}

/**
 * A permit as its entries say it: one operator may act as one customer in one application, with at most
 * these scopes, in a window of time. All times are in milliseconds since the epoch.
 */
export interface PermitRecord {
  readonly id: string
  /** `'emergency'`: the operator acts without an approval, and a person looks at it afterwards. */
  readonly kind: 'approval' | 'emergency'
  /** Without regard to the time: see `permitAt`. */
  readonly state: Exclude<StoredPermitState, PauseRecord['state']>
  readonly needs: readonly Need[]
  readonly customer: AuditPerson
  readonly operator: AuditPerson
  /** The client id. */
  readonly application: string
  readonly resource: string
  readonly scope: string
  readonly ticket?: string | undefined
  readonly reason?: string | undefined
  /** How long the window is, in seconds. */
  readonly for: number
  /** How long an impersonation under it is to last, as the operator asked, in seconds. */
  readonly duration?: number | undefined
  readonly requestedAt: number
  /** Until then it can be decided. Not of an emergency. */
  readonly lapsesAt?: number | undefined
  /** When the last need was met: the window begins. */
  readonly grantedAt?: number | undefined
  readonly until?: number | undefined
  readonly decisions: readonly PermitDecision[]
  readonly revoked?:
    | { readonly at: number; readonly by: AuditPerson; readonly note?: string | undefined }
    | undefined
  /** Of an emergency: due while nobody has looked at it, so while `at` is absent. */
  readonly review?:
    | {
        readonly reason: string
        readonly at?: number | undefined
        readonly by?: AuditPerson | undefined
        readonly note?: string | undefined
      }
    | undefined
  /** What the customer is to be told of it, and of which changes the deployment: with `notices` and `onPermit`. */
  readonly deliveries?: AllDeliveries | undefined
  readonly version: number
  /** Of the last entry that is not about a notice. */
  readonly lastAt: number
}

/** What an approver or a customer gives. */
export type GivenPermit = PermitRecord | StandingRecord

/** What the storage of permits has. */
export type AnyPermit = GivenPermit | PauseRecord

/**
 * How long a revoked permit is looked at, in milliseconds, and at least until its window would have ended:
 * another process may have to end what runs.
 */
const ENDING_TIME_MS = 600_000
/** How long a refusal holds, in milliseconds: it is found until then. */
export const REFUSAL_HOLDS_MS = 86_400_000

/**
 * Adds an entry to a permit.
 *
 * @param record the permit so far; `undefined` for its first entry
 * @throws TypeError for an entry that does not fit
 */
export function foldAny(record: AnyPermit | undefined, told: AuditEntry): AnyPermit {
  const entry = allStorable(told)
  const { event } = entry
  if (record?.kind === 'pause') return foldPause(record, entry)
  if (!record && event === 'support.paused') return beginPause(entry)
  if (record && isDeliveryEvent(event)) {
    return withDeliveries({ ...record, version: record.version + 1 }, entry)
  }
  const isStanding = event === 'support.opened' || event === 'support.closed'
  if (!record && isStanding) return withDeliveries(beginStanding(entry), entry)
  if (record?.kind === 'standing') return foldStanding(record, entry)
  return withDeliveries(foldPermit(record, entry), entry)
}

function withDeliveries<T extends GivenPermit>(record: T, entry: AuditEntry): T {
  const deliveries = foldDeliveries(record.deliveries, entry)
  return deliveries ? { ...record, deliveries } : record
}

/** What an entry is for a permit that an operator asked for. */
export function changeOf({ event }: Pick<AuditEntry, 'event'>): PermitChange | undefined {
  return PERMIT_CHANGES.find((change) => event === `support.${change}`)
}

/** The next change to tell the deployment. */
export function pendingChangeOf({ deliveries }: Pick<PermitRecord, 'deliveries'>) {
  return deliveries?.deployment && pendingOf(deliveries.deployment, PERMIT_CHANGES)
}

/** What the customer is to be told of it. What is decided is not asked for any more. */
export function pendingNoticeOf({ deliveries, state }: GivenPermit) {
  const pending = deliveries?.customer && pendingOf(deliveries.customer, NOTICE_KINDS)
  return pending?.kind === 'asked' && state !== 'requested' ? undefined : pending
}

/** {@link foldAny} of a permit that an operator asked for. */
export function foldPermit(record: PermitRecord | undefined, entry: AuditEntry): PermitRecord {
  const { event, timeMs: time, terms, note, need, by = '' } = entry
  if (event === 'support.requested' || event === 'support.emergency') return begin(record, entry)
  if (!record) throw new TypeError(`${event} is about a permit that there is not`)
  const next = { ...record, version: record.version + 1, lastAt: Math.max(record.lastAt, time) }
  const person: AuditPerson = { id: by, ...entry.names?.by }
  switch (event) {
    case 'support.granted':
    case 'support.declined':
      assertState(record, entry, 'requested')
      if (!need) throw new TypeError(`${event} must say which need is decided`)
      return decided(next, {
        ...{ need, by: person, at: time, isGranted: event === 'support.granted' },
        ...present({ note: nonEmptyText(note) }),
      })
    case 'support.revoked':
      // I15: a refusal that was answered stays a refusal.
      assertState(record, entry, 'requested', 'granted')
      return {
        ...next,
        state: 'revoked',
        revoked: { at: time, by: person, ...present({ note: nonEmptyText(note) }) },
      }
    case 'support.reviewed': {
      const reason = record.review?.reason ?? terms?.review ?? ''
      return {
        ...next,
        review: { reason, at: time, by: person, ...present({ note: nonEmptyText(note) }) },
      }
    }
    default:
      throw new TypeError(`${event} is no event of a permit`)
  }
}

function assertState(
  { state }: PermitRecord,
  { event }: AuditEntry,
  ...states: readonly StoredPermitState[]
): void {
  if (!states.includes(state)) throw new TypeError(`${event} does not fit what is ${state}`)
}

function begin(record: PermitRecord | undefined, entry: AuditEntry): PermitRecord {
  const { event, timeMs: time, userId, mayAct, resource, scope, context, terms, names } = entry
  const id = permitOf(entry)
  const { sub, clientId } = mayAct ?? {}
  if (record || !terms)
    throw new TypeError(`${event} is the first entry of a permit, with its terms`)
  if (!id || !userId || !sub || !clientId || typeof resource !== 'string' || !scope) {
    throw new TypeError(`${event} must name customer, operator, application, resource and scope`)
  }
  if (terms.for === undefined) throw new TypeError(`${event} must say for how long`)
  const isEmergency = event === 'support.emergency'
  return {
    ...{ id, kind: isEmergency ? 'emergency' : 'approval', needs: terms.needs },
    state: isEmergency ? 'granted' : 'requested',
    customer: { id: userId, ...names?.user },
    operator: { id: sub, ...names?.actor },
    ...{ application: clientId, resource, scope },
    ...present({
      ticket: nonEmptyText(context?.ticketId),
      reason: nonEmptyText(context?.reason),
      duration: positiveInteger(context?.duration),
      lapsesAt: terms.lapsesAt,
    }),
    ...{ for: terms.for, requestedAt: time, decisions: [], version: 1, lastAt: time },
    ...(isEmergency
      ? {
          ...{ grantedAt: time, until: time + terms.for * 1000 },
          review: { reason: terms.review ?? '' },
        }
      : {}),
  }
}

/** One refusal is final. The window begins when the last need is met. */
function decided(record: PermitRecord, decision: PermitDecision): PermitRecord {
  const decisions = [...record.decisions, decision]
  if (!decision.isGranted) return { ...record, decisions, state: 'refused' }
  const isMet = (need: Need) => decisions.some((each) => each.need === need && each.isGranted)
  if (!record.needs.every(isMet)) return { ...record, decisions }
  const { at } = decision
  const window = { grantedAt: at, until: at + record.for * 1000 }
  return { ...record, decisions, state: 'granted', ...window }
}

export function isReviewDue({ review }: Pick<PermitRecord, 'review'>): boolean {
  return review !== undefined && review.at === undefined
}

/** As it is kept, and by what it is found. */
export function storedPermitOf(record: AnyPermit, slot: string): StoredPermit {
  if (record.kind === 'pause') return storedPauseOf(record, slot)
  const stored =
    record.kind === 'standing' ? storedStandingOf(record, slot) : storedApprovalOf(record, slot)
  const { customer, deployment } = record.deliveries ?? {}
  const toldAt = Math.max(customer?.last?.at ?? 0, deployment?.last?.at ?? 0)
  const change = pendingChangeOf(record)
  return {
    ...stored,
    overAt: stored.overAt === undefined ? undefined : Math.max(stored.overAt, toldAt),
    ...present({
      customerDueAt: customer && pendingNoticeOf(record) && dueAtOf(customer, record.requestedAt),
      deploymentDueAt:
        deployment && change && dueAtOf(deployment, deployment.due[change.kind]?.at ?? 0),
    }),
  }
}

function storedApprovalOf(record: PermitRecord, slot: string): StoredPermit {
  return {
    ...{ id: record.id, version: record.version, at: record.requestedAt, slot },
    ...{ customer: record.customer.id, operator: record.operator.id, state: record.state },
    ...{ isReviewDue: isReviewDue(record), overAt: overAt(record), data: asciiJson(record) },
  }
}

function overAt(record: PermitRecord): number | undefined {
  const { state, lastAt, lapsesAt = 0, until = 0 } = record
  if (isReviewDue(record)) return undefined
  if (state === 'requested') return Math.max(lastAt, lapsesAt)
  if (state === 'granted') return Math.max(lastAt, until)
  if (state === 'revoked') return Math.max(lastAt + ENDING_TIME_MS, until)
  return state === 'refused' ? lastAt + REFUSAL_HOLDS_MS : lastAt
}

/** @throws Error for what is no permit: what cannot be read allows nothing */
export function parseAny({ id, data }: StoredPermit): AnyPermit {
  const record = jsonIn(data)
  if (isAny(record) && record.id === id) return record
  throw new Error('the storage of the audit has a permit that cannot be read')
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
const KINDS: readonly AnyPermit['kind'][] = ['approval', 'emergency', 'pause', 'standing']

function isAny(record: unknown): record is AnyPermit {
  const has = (type: string, ...path: string[]) => typeof at(record, ...path) === type
  const areIntegers = (...names: string[]) =>
    names.every((name) => Number.isSafeInteger(at(record, name)))
  const kind = at(record, 'kind')
  const isPause = kind === 'pause'
  const hasCustomer = has('string', 'customer', 'id')
  return (
    KINDS.some((known) => known === kind) &&
    ['id', 'state'].every((name) => has('string', name)) &&
    (hasCustomer || (isPause && at(record, 'customer') === undefined)) &&
    areIntegers('requestedAt', 'lastAt', 'version') &&
    (kind === 'standing' || has('string', 'operator', 'id')) &&
    (kind === 'standing' ||
      (isPause && has('string', 'by', 'id')) ||
      (['needs', 'decisions'].every((name) => Array.isArray(at(record, name))) &&
        ['application', 'resource', 'scope'].every((name) => has('string', name)) &&
        areIntegers('for')))
  )
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined),
    value,
  )
}
