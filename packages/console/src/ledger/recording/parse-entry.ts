import {
  AUDIT_EVENTS,
  type AuditEntry,
  DAY_MS,
  type ToldRequest,
  type ToldUse,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import {
  anyObject,
  listOf,
  objectOf,
  oneOf,
  readBy,
  type SchemasOf,
  text,
  wholeNumber,
} from '../../kernel/input.ts'

/** The longest entry as JSON, in characters. No request can make one as long. */
const MAX_ENTRY_LENGTH = 1_048_576
/** 2000-01-01, in milliseconds since the epoch. */
const MIN_TIME_MS = 946_684_800_000

/** An id of an account, a client, an impersonation, or a like name. */
const name = text(1, 1024)
/** A text of a person, a client or a program. */
const words = v.optional(text(0, 65_536))
const anyText = text(0, MAX_ENTRY_LENGTH)
const mayBeText = v.optional(anyText)
/** Also seconds since the epoch. */
const count = wholeNumber(0)
const several = v.optional(v.union([anyText, listOf(anyText)], anyText.message))

/**
 * The time of an event, in milliseconds since the epoch. A time that no clock can have now is refused:
 * a `Date` could not hold it, or its row would stand before all others for years.
 */
const time = v.custom<number>(
  (value) =>
    Number.isSafeInteger(value) &&
    Number(value) >= MIN_TIME_MS &&
    Number(value) <= Date.now() + DAY_MS,
  'must be a whole number of milliseconds since the epoch, between the year 2000 and tomorrow',
)

const actor = v.optional(objectOf({ sub: name }))

const REQUEST = {
  useId: text(1, 128),
  audience: text(1, 2048),
  method: v.optional(text(1, 64)),
  path: words,
  status: v.optional(wholeNumber(100, 999)),
  refused: v.optional(
    objectOf({
      by: oneOf(['impersonation', 'person', 'replay', 'requirement', 'scope', 'sender', 'status']),
      error: words,
      description: text(0, 65_536),
    }),
  ),
} satisfies SchemasOf<ToldUse>

const USE = v.pipe(
  objectOf({
    ...REQUEST,
    timeMs: time,
    id: v.optional(name),
    userId: name,
    actor,
    software: v.optional(name),
    client: name,
  } satisfies SchemasOf<ToldRequest>),
  v.readonly(),
  v.brand('use'),
)

/** A use that a guard told, once it is read: nobody asks again. */
export type ParsedUse = v.InferOutput<typeof USE>

/**
 * Reads a use that a guard told, as an API of any kind hands it over. Members that are not known are left away.
 *
 * @throws TypeError that names the member: `use.timeMs must be …`
 */
export function parseUse(value: unknown): ParsedUse {
  return readBy(USE, value, undefined, 'use')
}

const GAP = objectOf({ useId: REQUEST.useId, timeMs: time, dropped: wholeNumber(1) })

export type ParsedGap = v.InferOutput<typeof GAP>

/**
 * Reads the number that a sender tells in place of uses that it had to drop: docs/your-apis.md.
 *
 * @throws TypeError that names the member: `use.dropped must be …`
 */
export function parseGap(value: unknown): ParsedGap {
  return readBy(GAP, value, undefined, 'use')
}

const ENTRY = objectOf({
  event: oneOf(AUDIT_EVENTS),
  timeMs: time,
  id: mayBeText,
  userId: mayBeText,
  actor,
  software: mayBeText,
  mayAct: v.optional(objectOf({ sub: mayBeText, clientId: mayBeText })),
  requestedBy: mayBeText,
  client: mayBeText,
  resource: several,
  scope: mayBeText,
  context: v.optional(anyObject),
  expiresAt: v.optional(count),
  jti: mayBeText,
  permit: several,
  review: mayBeText,
  needs: v.optional(listOf(oneOf(['second_person', 'user']))),
  denial: v.optional(
    objectOf({ stage: oneOf(['end', 'exchange', 'issue']), error: anyText, reason: anyText }),
  ),
  redemption: v.optional(objectOf({ at: v.optional(count), jti: anyText })),
  end: v.optional(
    objectOf({
      at: count,
      by: v.optional(objectOf({ sub: anyText })),
      cause: oneOf(['operator_signed_out', 'policy', 'replay', 'requested', 'user']),
      reason: mayBeText,
    }),
  ),
  use: v.optional(objectOf(REQUEST)),
  by: mayBeText,
  note: mayBeText,
  // All others are of the console alone.
} satisfies Partial<SchemasOf<AuditEntry>>)

/**
 * An entry of any part of the system, as the log has it. Members that are not known stay: a newer
 * plugin may tell more.
 *
 * @param line JSON
 * @throws TypeError that names the member: `entry.timeMs must be …`
 */
export function parseEntry(line: string): AuditEntry {
  if (line.length > MAX_ENTRY_LENGTH) {
    throw new TypeError(`the entry must have at most ${MAX_ENTRY_LENGTH} characters as JSON`)
  }
  const reported: unknown = JSON.parse(line)
  assertEntry(reported)
  return reported
}

function assertEntry(reported: unknown): asserts reported is AuditEntry {
  readBy(ENTRY, reported, undefined, 'entry')
}
