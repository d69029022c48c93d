import { asciiJson } from './ascii-json.ts'
import { type AuditEntry, permitOf } from './entry.ts'
import { nonEmptyText, present } from './present.ts'
import type { AuditPerson } from './row.ts'
import type { StoredPermit } from './stored-permit.ts'

/**
 * An operator who may not start: as one customer, who objected, or as any, where a lead says it. Times are in
 * milliseconds since the epoch.
 */
export interface PauseRecord {
  readonly id: string
  readonly kind: 'pause'
  readonly state: 'paused' | 'resumed'
  readonly operator: AuditPerson
  /** Who objected. Absent where it is for every customer. */
  readonly customer?: AuditPerson | undefined
  /** Who paused the operator: the customer, or a lead. */
  readonly by: AuditPerson
  /** What that person wrote. */
  readonly note?: string | undefined
  /** The id of the impersonation that the customer objected to. */
  readonly impersonation?: string | undefined
  readonly requestedAt: number
  /** Without it, until a person lifts it. */
  readonly until?: number | undefined
  readonly resumed?:
    | {
        readonly at: number
        /** Absent where the deployment lifted it in code. */
        readonly by?: AuditPerson | undefined
        readonly note?: string | undefined
      }
    | undefined
  /** It is told on the page of the customer alone. */
  readonly deliveries?: undefined
  readonly version: number
  /** Of the last entry. */
  readonly lastAt: number
}

/** The first entry. */
export function beginPause(entry: AuditEntry): PauseRecord {
  const { event, timeMs: time, userId, mayAct, by, note, context, terms, names } = entry
  const id = permitOf(entry)
  const operator = mayAct?.sub
  if (!id || !operator || !by)
    throw new TypeError(`${event} must name the operator, and who says it`)
  return {
    ...{ id, kind: 'pause', state: 'paused', operator: { id: operator, ...names?.actor } },
    ...(userId === undefined ? {} : { customer: { id: userId, ...names?.user } }),
    by: { id: by, ...names?.by },
    ...present({
      note: nonEmptyText(note),
      impersonation: nonEmptyText(context?.impersonation),
      until: terms?.until,
    }),
    ...{ requestedAt: time, version: 1, lastAt: time },
  }
}

/** Any later entry: it is lifted. */
export function foldPause(record: PauseRecord, entry: AuditEntry): PauseRecord {
  const { event, timeMs: time, by, note, names } = entry
  if (event !== 'support.resumed' || record.state !== 'paused') {
    throw new TypeError(`${event} does not fit`)
  }
  return {
    ...{ ...record, version: record.version + 1, lastAt: Math.max(record.lastAt, time) },
    state: 'resumed',
    resumed: {
      at: time,
      ...(by === undefined ? {} : { by: { id: by, ...names?.by } }),
      ...present({ note: nonEmptyText(note) }),
    },
  }
}

/** Whether the operator may not start at this time. */
export function isPausedAt({ state, until }: Pick<PauseRecord, 'state' | 'until'>, now: number) {
  return state === 'paused' && (until === undefined || now < until)
}

/** As it is kept, and by what it is found. */
export function storedPauseOf(record: PauseRecord, slot: string): StoredPermit {
  const { id, version, state, until, lastAt, customer, operator } = record
  const overAt = state === 'resumed' ? lastAt : until && Math.max(lastAt, until)
  return {
    ...{ id, version, at: record.requestedAt, slot, state, overAt, isReviewDue: false },
    ...{ customer: customer?.id, operator: operator.id, data: asciiJson(record) },
  }
}
