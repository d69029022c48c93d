import { asciiJson } from './ascii-json.ts'
import type { AllDeliveries } from './delivery.ts'
import { type AuditEntry, permitOf, type StandingChoice } from './entry.ts'
import { nonEmptyText, present } from './present.ts'
import type { AuditPerson } from './row.ts'
import type { StoredPermit } from './stored-permit.ts'

/**
 * What a customer answered for all requests: support may act, or is to ask each time. The newest answer of a
 * customer counts. Times are in milliseconds since the epoch.
 */
export interface StandingRecord {
  readonly id: string
  readonly kind: 'standing'
  readonly choice: StandingChoice
  /** `'refused'`: ask each time. `'revoked'`: it was open, and the customer said no later. */
  readonly state: 'granted' | 'refused' | 'revoked'
  readonly customer: AuditPerson
  readonly requestedAt: number
  readonly revoked?:
    | { readonly at: number; readonly by: AuditPerson; readonly note?: string | undefined }
    | undefined
  /** What the customer is to be told of it: where the console has `notices`. */
  readonly deliveries?: AllDeliveries | undefined
  readonly version: number
  /** Of the last entry that is not about a notice. */
  readonly lastAt: number
}

/** The first entry: the customer says it. */
export function beginStanding(entry: AuditEntry): StandingRecord {
  const { event, timeMs: time, userId, names } = entry
  const id = permitOf(entry)
  if (!id || !userId) throw new TypeError(`${event} must name the customer`)
  const isOpen = event === 'support.opened'
  return {
    ...{ id, kind: 'standing', state: isOpen ? 'granted' : 'refused' },
    choice: isOpen ? 'allow' : 'ask',
    customer: { id: userId, ...names?.user },
    ...{ requestedAt: time, version: 1, lastAt: time },
  }
}

/** Any later entry: it is taken back. */
export function foldStanding(record: StandingRecord, entry: AuditEntry): StandingRecord {
  const { event, timeMs: time, by = '', note, names } = entry
  if (event !== 'support.revoked' || record.state !== 'granted') {
    throw new TypeError(`${event} does not fit`)
  }
  return {
    ...{ ...record, version: record.version + 1, lastAt: Math.max(record.lastAt, time) },
    state: 'revoked',
    revoked: { at: time, by: { id: by, ...names?.by }, ...present({ note: nonEmptyText(note) }) },
  }
}

/** As it is kept, and by what it is found. What the customer says holds until they say something else. */
export function storedStandingOf(record: StandingRecord, slot: string): StoredPermit {
  const { state, lastAt } = record
  const overAt = state === 'revoked' ? lastAt : undefined
  return {
    ...{ id: record.id, version: record.version, at: record.requestedAt, slot, state, overAt },
    ...{ customer: record.customer.id, operator: undefined, isReviewDue: false },
    data: asciiJson(record),
  }
}
