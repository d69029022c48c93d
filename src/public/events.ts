import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Actor, MayAct, Need, SubjectTokenContext } from './hooks.ts'
import type { ImpersonationEnd } from './objects.ts'

/** The subject token as listeners get it. Its value is stored nowhere, and is not part of it. */
export interface SubjectTokenRecord {
  /** The name of the model in the storage. */
  readonly kind: string
  /** The id under which it is stored: the SHA-256 of its value, base64url. */
  readonly jti: string
  /** The user to be impersonated. */
  readonly accountId: string
  /** The machine-to-machine client that requested it. */
  readonly clientId: string
  /** The `context` of its request, frozen all the way down. */
  readonly contextObject: SubjectTokenContext
  /** The time of its expiry, in seconds since the epoch. */
  readonly exp?: number | undefined
}

/** The reason for a refusal. */
export interface Denial {
  /**
   * The stage of the refusal. `'issue'` is the management API, for a subject token. `'exchange'`
   * is the token endpoint. `'end'` is the end of impersonations.
   */
  readonly stage: 'end' | 'exchange' | 'issue'
  /** The `error` of the response that the client got. */
  readonly error: string
  /**
   * The reason, which the client does not get. It is for people who investigate. Programs must not
   * compare it.
   */
  readonly reason: string
}

/** The redemption that came before a replay. */
export interface Redemption {
  /** The time in seconds since the epoch; absent if it happened in this very moment. */
  readonly at?: number | undefined
  /** The `jti` of the access token that was issued then, if it was a JWT. */
  readonly jti: string
}

/**
 * One event. A member without a known value is absent. The remarks name the events that have it,
 * and behind the semicolon those that have it if it is known.
 */
export interface ImpersonationEvent {
  /**
   * The time, in milliseconds since the epoch.
   * @remarks all
   */
  readonly timeMs: number
  /**
   * The SHA-256 of the subject token, base64url. It stays the same.
   * @remarks issued, started, replayed, ended; denied
   */
  readonly id?: string | undefined
  /**
   * The account id of the customer. At a denied issue, it is what the client sent.
   * @remarks issued, started, replayed, ended; denied
   */
  readonly userId?: string | undefined
  /**
   * `{ sub }` of the operator. At issue, it is only what the client said.
   * @remarks ; all
   */
  readonly actor?: Actor | undefined
  /**
   * The client id of the software that acts, for `actor` or on its own.
   * @remarks ; started, denied, replayed, ended
   */
  readonly software?: string | undefined
  /**
   * The operator (`sub`), the client (`clientId`) or both that the subject token is bound to.
   * @remarks ; all
   */
  readonly mayAct?: MayAct | undefined
  /**
   * The machine-to-machine client that requested the subject token.
   * @remarks issued, started, replayed, ended; denied
   */
  readonly requestedBy?: string | undefined
  /**
   * The client that exchanges. In a denied end, it is the client that requested the end.
   * @remarks started, replayed; denied, ended
   */
  readonly client?: string | undefined
  /**
   * The resource. At issue, it is the list that the token is bound to.
   * @remarks started; issued, denied, replayed, ended
   */
  readonly resource?: string | readonly string[] | undefined
  /**
   * The scope granted. At issue, it is the maximum, and without it there is none.
   * @remarks ; issued, started, ended
   */
  readonly scope?: string | undefined
  /**
   * The `context` of the subject token.
   * @remarks issued, started, replayed, ended; denied
   */
  readonly context?: SubjectTokenContext | undefined
  /**
   * The expiry of the issued token, in seconds since the epoch.
   * @remarks issued, started; ended
   */
  readonly expiresAt?: number | undefined
  /**
   * The `jti` of the access token. The id of an opaque token is its value, so it is absent.
   * @remarks ; started
   */
  readonly jti?: string | undefined
  /**
   * The permit that allowed it, or several, as `authorize` returned.
   * @remarks ; all
   */
  readonly permit?: string | readonly string[] | undefined
  /**
   * The reason why a person has to review it, as `authorize` returned.
   * @remarks ; all
   */
  readonly review?: string | undefined
  /**
   * The missing approvals, `second_person` or `user`.
   * @remarks ; denied
   */
  readonly needs?: readonly Need[] | undefined
  /**
   * `stage` (`'issue'`, `'exchange'` or `'end'`), the `error` that the client got, and the `reason`
   * that it did not get.
   * @remarks denied
   */
  readonly denial?: Denial | undefined
  /**
   * `at` (seconds since the epoch) and `jti` of the first use. `at` is absent if that happened in
   * the same moment.
   * @remarks replayed
   */
  readonly redemption?: Redemption | undefined
  /**
   * `at` (seconds since the epoch), `cause`, and `by` and `reason` if known.
   * @remarks ended
   */
  readonly end?: ImpersonationEnd | undefined
}

/** A listener of an event that a request raises. */
export type ImpersonationListener = (ctx: KoaContextWithOIDC, event: ImpersonationEvent) => unknown

/** A listener of `impersonation.ended`. It gets no context if no request of its own ended it. */
export type EndListener = (
  ctx: KoaContextWithOIDC | undefined,
  event: ImpersonationEvent,
) => unknown

/**
 * The events of this package. Each `POST` to the management API, and each exchange whose client
 * was authenticated, raises one of the four `impersonation` events, once, after the decision. A
 * challenge for a DPoP nonce decides nothing and raises none.
 */
export interface ImpersonationEvents {
  /** A subject token was issued. */
  'impersonation.issued': ImpersonationListener
  /** A subject token was exchanged for an access token. */
  'impersonation.started': ImpersonationListener
  /** A request was refused, or failed. */
  'impersonation.denied': ImpersonationListener
  /** A subject token was presented that had been redeemed before. */
  'impersonation.replayed': ImpersonationListener
  /**
   * An impersonation was ended before its access token expired, or within 300 s after it. It is
   * emitted once for each, in the process that ended it.
   */
  'impersonation.ended': EndListener
  /** The record was stored. */
  'subject_token.saved': (subjectToken: SubjectTokenRecord) => void
  /** The record was redeemed. */
  'subject_token.consumed': (subjectToken: SubjectTokenRecord) => void
}

/** The events that can be recorded before the response leaves. */
export type RecordedEventName =
  | 'impersonation.ended'
  | 'impersonation.started'
  | 'impersonation.issued'

/** Records an event. It resolves when the event is stored, and rejects if it is not. */
export type RecordEvent = (name: RecordedEventName, event: ImpersonationEvent) => Promise<unknown>

/** Options of `recordFirst`. */
export interface RecordFirstOptions {
  /**
   * The time for which a response waits for its event, in seconds, more than 0 and at most 30.
   * @defaultValue `2`
   * @example
   * timeout: 5
   */
  readonly timeout?: number | undefined
  /**
   * Returns whether `record` takes events. The provider calls it before each issue and each
   * exchange. If it does not return `true` within `timeout`, the response is 503 with
   * `Retry-After`, and nothing is done.
   * @defaultValue always ready
   * @example
   * ready: () => true
   */
  readonly ready?: (() => boolean | Promise<boolean>) | undefined
}

type OfRequest = `impersonation.${'denied' | 'started' | 'issued' | 'replayed'}`
type OfImpersonation = OfRequest | 'impersonation.ended'

/**
 * The listener of all of these events. If one of them may be an end, the context may be absent.
 */
type ListenerOf<Events extends keyof ImpersonationEvents> = [Events] extends [OfRequest]
  ? ImpersonationListener
  : [Events] extends [OfImpersonation]
    ? EndListener
    : ImpersonationEvents[Events]

/** Adds a listener for one of {@link ImpersonationEvents}. */
export interface Listen<This> {
  <Event extends keyof ImpersonationEvents>(event: Event, listener: ListenerOf<Event>): This
  /** No call matches it: it makes the type comparable with that of oidc-provider's own events. */
  (event: never, listener: never): This
}
