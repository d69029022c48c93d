import { asciiJson } from './ascii-json.ts'
import { type Guarded, isInteger, isListOf, isObjectOf, isPlainObject, isText } from './guards.ts'
import type { Delivery, ToTell } from './to-tell.ts'
import type { Need, ToldEvent, ToldUse } from './told.ts'

/** The events of the plugin about an impersonation. */
export const PLUGIN_EVENTS = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.denied',
  'impersonation.replayed',
  'impersonation.ended',
] as const

/** A request to an API in an impersonation: the guard of the API told it. */
export const USED_EVENT = 'impersonation.used'

/** A person asks to erase what there is of a customer, and another one is to confirm it. */
export const ERASING_EVENT = 'support.erasing'

/** The data of a customer was erased: see `erased` of {@link AuditEntry}. */
export const ERASED_EVENT = 'support.erased'

/** Of an impersonation or a permit, the storage has another customer than its entries. */
export const MISLABELLED_EVENT = 'support.mislabelled'

/** Events of people in the console and on the account page. */
export const CONSOLE_EVENTS = [
  // The operator continues an impersonation of their own with this one.
  'support.continued',
  // The console refused the request of an operator before the provider received it.
  'support.refused',
  // A lead has seen the alarms of an impersonation.
  'support.acknowledged',
  // The entries of an impersonation are kept beyond the time that the audit keeps others; released
  // again.
  'support.held',
  'support.released',
  // The customer says: I did not ask for this.
  'support.objected',
  // The audit, or a part of it, was exported.
  'support.exported',
  // A person asks for an erasure, which another one confirms. The entry names no customer.
  ERASING_EVENT,
  // The data of a customer was erased. The entry names no customer.
  ERASED_EVENT,
  // The impersonation or permit belongs to another customer, by its entries. It was not erased.
  MISLABELLED_EVENT,
] as const

/** Of permits: docs/approvals.md. The permit is in the member `permit`. */
export const PERMIT_EVENTS = [
  // An operator asks for an approval.
  'support.requested',
  // A need is met, or refused. `support.refused` is another thing: a request to act.
  'support.granted',
  'support.declined',
  // It is taken back, and what runs under it ends.
  'support.revoked',
  // An operator acts without an approval; and a person has looked at that afterwards.
  'support.emergency',
  'support.reviewed',
  // A customer says for all requests: support may act, or is to ask each time.
  'support.opened',
  'support.closed',
  // An operator may not start: as the customer who objected, or as any. And that is over.
  'support.stopped',
  'support.lifted',
  // Another person confirms an erasure that was asked for.
  'support.confirmed',
] as const

/** Events of telling customers, and the deployment about alarms and permits: docs/notices.md. */
export const DELIVERY_EVENTS = [
  // A process tells it now, and no other one does.
  'support.telling',
  // It is told with another impersonation for the same ticket, or was.
  'support.joined',
  // It was told, or it failed.
  'support.told',
  'support.untold',
] as const

/**
 * Stands in the place of what could not be stored as it was told. The log has it, as every event.
 */
export const SET_ASIDE = 'audit.set_aside'

export const AUDIT_EVENTS = [
  ...PLUGIN_EVENTS,
  USED_EVENT,
  ...CONSOLE_EVENTS,
  ...PERMIT_EVENTS,
  ...DELIVERY_EVENTS,
  SET_ASIDE,
] as const

/** A line of the log that was set aside. */
export interface SetAside {
  /** Its `event`, where that is known. */
  readonly event?: string | undefined
  /** The SHA-256, base64url, of its line in the log, without the line feed. */
  readonly digest?: string | undefined
  readonly why: string
}

const isErased = isObjectOf({
  // The ids: they are random, and lead to no customer any more.
  impersonations: isListOf(isText),
  permits: isListOf(isText),
  // Their entries up to this time may be removed, in milliseconds since the epoch.
  until: isInteger,
})

/** Ids of the impersonations and permits that were erased. */
export type Erased = Guarded<typeof isErased>

/** The terms of a permit beside customer, operator, application, resource, scope and context. */
export interface PermitTerms {
  readonly needs: readonly Need[]
  /** Length of the window, in seconds. Absent of a customer's answer for all requests. */
  readonly for?: number | undefined
  /** Until when it can be decided, in milliseconds since the epoch. */
  readonly lapsesAt?: number | undefined
  /** Of an emergency: the ids of what was declined to the operator for the customer within a day before. */
  readonly declined?: readonly string[] | undefined
}

/** A person as the directory named them when the event happened. */
export interface Named {
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/**
 * One event, with the members of docs/events.md. No entry holds the value of a token. `id` is the id
 * of the impersonation.
 */
export interface AuditEntry extends ToldEvent {
  readonly event: (typeof AUDIT_EVENTS)[number]
  /** In milliseconds since the epoch. */
  readonly timeMs: number
  /** With `impersonation.used`: the request, and its answer. */
  readonly use?: ToldUse | undefined
  /** With an event of {@link CONSOLE_EVENTS} or {@link PERMIT_EVENTS}: the account id of the person who did it. */
  readonly by?: string | undefined
  /** With an event of {@link CONSOLE_EVENTS}: what that person wrote. */
  readonly note?: string | undefined
  /** With `support.continued`: the id of the impersonation before this one. */
  readonly continues?: string | undefined
  /**
   * With `support.acknowledged`: `alarm.count` of the row that the person saw. An alarm that is stored
   * later stays open, also if it happened before.
   */
  readonly alarms?: number | undefined
  /** With `support.refused`: the directory protects the customer. */
  readonly protects?: true | undefined
  /** With the first entry of a permit. */
  readonly terms?: PermitTerms | undefined
  /** With `support.granted` and `support.declined`: what is decided. */
  readonly need?: Need | undefined
  /** With a start, an alarm, and what becomes of a permit: who is to be told. */
  readonly toTell?: readonly ToTell[] | undefined
  /** With an event of {@link DELIVERY_EVENTS}. */
  readonly delivery?: Delivery | undefined
  /** It was missing: written by the record of the provider, after a restart. */
  readonly afterRestart?: true | undefined
  /** With `support.erased`. */
  readonly erased?: Erased | undefined
  /** With `audit.set_aside`. */
  readonly setAside?: SetAside | undefined
  /**
   * Number of times that it happened: an entry can stand for all repeats of an hour. @defaultValue
   * 1
   */
  readonly count?: number | undefined
  /** Added when the entry is recorded. A directory that fails leaves it away. */
  readonly names?:
    | {
        readonly user?: Named | undefined
        readonly actor?: Named | undefined
        /** The person of `by`, or another person who ended it. */
        readonly by?: Named | undefined
      }
    | undefined
}

/**
 * Encodes an entry as JSON in ASCII, which a database with any encoding accepts.
 *
 * @param salt random: it goes with the text, so that nobody finds out what was erased by guessing
 */
export function encodeEntry(entry: AuditEntry, salt: string): string {
  return asciiJson({ ...entry, salt })
}

/**
 * Decodes what {@link encodeEntry} made. Returns `undefined` for what this version cannot read: a
 * newer version that shares the store may have more events.
 */
export function decodeEntry(text: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isEntry(value)) return undefined
    const { salt: _, ...entry } = value
    return entry
  } catch {
    return undefined
  }
}

/** The greatest time of a `Date`, in milliseconds since the epoch: a page that shows another one breaks. */
export const MAX_DATE_MS = 8_640_000_000_000_000

/** An entry about a permit, and not about an impersonation. */
export function isAboutPermit({
  event,
  id,
  permit,
}: Pick<AuditEntry, 'event' | 'id' | 'permit'>): boolean {
  const mayBe = isDeliveryEvent(event) || (event === ERASING_EVENT && permit !== undefined)
  return isPermitEvent(event) || (mayBe && id === undefined)
}

/** Returns the erasure of an {@link ERASED_EVENT} entry. */
export function erasureIn(text = ''): Erased | undefined {
  const entry = decodeEntry(text)
  return entry?.event === ERASED_EVENT && isErased(entry.erased) ? entry.erased : undefined
}

/** The permit that an entry about a permit is about. */
export function permitOf({ permit }: Pick<AuditEntry, 'permit'>): string | undefined {
  return typeof permit === 'string' ? permit : undefined
}

/** Returns true if the entry refuses a request, a start or an end. */
export const isRefusal = ({ event }: Pick<AuditEntry, 'event'>): boolean =>
  event === 'impersonation.denied' || event === 'support.refused'

const isIn = (events: readonly string[]) => {
  const names: ReadonlySet<unknown> = new Set(events)
  return (event: unknown) => names.has(event)
}

export const isDeliveryEvent = isIn(DELIVERY_EVENTS)

export const isPermitEvent = isIn(PERMIT_EVENTS)

const isAuditEvent = isIn(AUDIT_EVENTS)

function isEntry(value: unknown): value is AuditEntry & { readonly salt?: unknown } {
  if (!isPlainObject(value) || !isAuditEvent(value.event)) return false
  return isInteger(value.timeMs) && Math.abs(value.timeMs) <= MAX_DATE_MS
}
