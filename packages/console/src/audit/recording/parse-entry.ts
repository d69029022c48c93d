import type { ActClaim, Denial, ImpersonationEnd, Need } from 'oidc-provider-impersonation'
import type { ImpersonationUse, UseRefusal } from 'oidc-provider-impersonation-resource-server'
import { parseErased } from 'oidc-provider-impersonation-verify/chain'
import {
  AUDIT_EVENTS,
  type AuditEntry,
  anyObject,
  eventTime,
  flag,
  listOf,
  type Named,
  NOTICE_KINDS,
  type NoticeTry,
  objectOf,
  oneOf,
  optional,
  type Parser,
  type PermitTerms,
  type SetAside,
  type StandingChoice,
  type StandingTerm,
  text,
  wholeNumber,
} from 'oidc-provider-impersonation-verify/format'

/** The longest entry as JSON, in characters. No request can make one as long. */
const MAX_ENTRY_LENGTH = 1_048_576
/** The longest chain of actors: more than `actorToken.chain.maxDepth` allows. */
const MAX_ACTORS = 20

/** An id of an account, a client, an impersonation, or a like name. */
const name = text(1, 1024)
/** What a person, a client or a program wrote. */
const words = text(0, 65_536)
const wordsInAnEntry = text(0, MAX_ENTRY_LENGTH)
/** In seconds since the epoch. */
const seconds = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const actor: Parser<ActClaim> = (value, path) => {
  if (path.split('.').length > MAX_ACTORS) throw new TypeError(`${path} has too many actors`)
  return objectOf<ActClaim>({ sub: name, client_id: optional(name), act: optional(actor) })(
    value,
    path,
  )
}

const request = {
  useId: text(1, 128),
  audience: text(1, 2048),
  method: optional(text(1, 64)),
  path: optional(words),
  status: optional(wholeNumber(100, 999)),
  refused: optional(
    objectOf<UseRefusal>({
      by: oneOf<UseRefusal['by']>([
        'impersonation',
        'person',
        'replay',
        'requirement',
        'scope',
        'sender',
        'status',
      ]),
      error: optional(words),
      description: words,
    }),
  ),
}

const use = objectOf<ImpersonationUse>({
  ...request,
  time: eventTime,
  id: optional(name),
  subject: name,
  actor: optional(actor),
  software: optional(name),
  client: name,
})

/**
 * What a guard told, as an API of any kind hands it over. Members that are not known are left away.
 *
 * @throws TypeError that names the member: `use.time must be …`
 */
export function parseUse(value: unknown): ImpersonationUse {
  return Object.freeze(use(value, 'use'))
}

/** What a sender tells in place of uses that it had to drop: docs/recording-uses.md. */
export interface Gap {
  readonly useId: string
  readonly time: number
  readonly dropped: number
}

const gap = objectOf<Gap>({
  useId: request.useId,
  time: eventTime,
  dropped: wholeNumber(1, Number.MAX_SAFE_INTEGER),
})

/** @throws TypeError that names the member: `use.dropped must be …` */
export function parseGap(value: unknown): Gap {
  return gap(value, 'use')
}

const need = oneOf<Need>(['second_person', 'user'])

const choice = oneOf<StandingChoice>(['always', 'ask', 'day', 'never', 'week'])

const named = objectOf<Named>({
  name: optional(wordsInAnEntry),
  email: optional(wordsInAnEntry),
})

const oneOrSeveral = (value: unknown, path: string) =>
  Array.isArray(value) ? listOf(wordsInAnEntry)(value, path) : wordsInAnEntry(value, path)

const entry = objectOf<AuditEntry>({
  event: oneOf(AUDIT_EVENTS),
  time: eventTime,
  id: optional(wordsInAnEntry),
  subject: optional(wordsInAnEntry),
  actor: optional(actor),
  software: optional(wordsInAnEntry),
  mayAct: optional(objectOf({ sub: optional(wordsInAnEntry), clientId: optional(wordsInAnEntry) })),
  requestedBy: optional(wordsInAnEntry),
  client: optional(wordsInAnEntry),
  resource: optional(oneOrSeveral),
  scope: optional(wordsInAnEntry),
  context: optional(anyObject),
  expiresAt: optional(seconds),
  jti: optional(wordsInAnEntry),
  permit: optional(oneOrSeveral),
  review: optional(wordsInAnEntry),
  needs: optional(listOf(need)),
  denial: optional(
    objectOf<Denial>({
      stage: oneOf<Denial['stage']>(['end', 'exchange', 'issue']),
      error: wordsInAnEntry,
      reason: wordsInAnEntry,
    }),
  ),
  redemption: optional(objectOf({ at: optional(seconds), jti: wordsInAnEntry })),
  end: optional(
    objectOf<ImpersonationEnd>({
      at: seconds,
      by: optional(objectOf({ sub: wordsInAnEntry })),
      cause: oneOf<ImpersonationEnd['cause']>([
        'operator_signed_out',
        'policy',
        'replay',
        'requested',
        'user',
      ]),
      reason: optional(wordsInAnEntry),
    }),
  ),
  use: optional(objectOf(request)),
  by: optional(wordsInAnEntry),
  note: optional(wordsInAnEntry),
  continues: optional(wordsInAnEntry),
  alarms: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  urgency: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  protects: optional(flag),
  terms: optional(
    objectOf<PermitTerms>({
      needs: listOf(need),
      for: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      lapsesAt: optional(eventTime),
      until: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      review: optional(wordsInAnEntry),
      choice: optional(choice),
      afterwards: optional(listOf(objectOf<StandingTerm>({ choice, until: optional(eventTime) }))),
    }),
  ),
  need: optional(need),
  names: optional(
    objectOf({ subject: optional(named), actor: optional(named), by: optional(named) }),
  ),
  notice: optional(
    objectOf<NoticeTry>({
      kinds: listOf(oneOf(NOTICE_KINDS)),
      attempt: wholeNumber(1, Number.MAX_SAFE_INTEGER),
      failures: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    }),
  ),
  // The recorder adds it.
  notify: () => undefined,
  // Nothing that is told says so: see `recordMissing`.
  afterRestart: () => undefined,
  erased: optional(parseErased),
  begun: optional(wordsInAnEntry),
  setAside: optional(
    objectOf<SetAside>({
      event: optional(wordsInAnEntry),
      digest: optional(wordsInAnEntry),
      why: wordsInAnEntry,
    }),
  ),
})

/**
 * An entry of any part of the system, as the log has it. Members that are not known stay: a newer
 * plugin may tell more.
 *
 * @param line JSON
 * @throws TypeError that names the member: `entry.time must be …`
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
  entry(reported, 'entry')
}
