import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Actor, MayAct, Need, SubjectTokenContext } from './hooks.ts'
import type { ImpersonationEnd } from './objects.ts'

/** What a listener learns of a subject token: everything but its value, which is stored nowhere. */
export interface SubjectTokenRecord {
  /** The name of the model in the storage. */
  readonly kind: string
  /** The id under which it is stored: the SHA-256 of its value, base64url. */
  readonly jti: string
  /** The user to be impersonated. */
  readonly accountId: string
  /** The machine-to-machine client that asked for it. */
  readonly clientId: string
  /** The `context` it was issued with, frozen all the way down. */
  readonly contextObject: SubjectTokenContext
  /** When it expires, in seconds since the epoch. */
  readonly exp?: number | undefined
}

/** Why a request was refused. */
export interface Denial {
  /**
   * `'issue'`: a subject token, at the management API. `'exchange'`: at the token endpoint. `'end'`:
   * the end of impersonations.
   */
  readonly stage: 'end' | 'exchange' | 'issue'
  /** What the client got: the `error` of the answer. */
  readonly error: string
  /**
   * The reason, which the client does not get. It is for people who investigate: programs must not
   * compare it.
   */
  readonly reason: string
}

/** The redemption that came before a replay. */
export interface Redemption {
  /** When, in seconds since the epoch; absent where it happened in this very moment. */
  readonly at?: number | undefined
  /** The `jti` that the access token issued then has, if it was a JWT. */
  readonly jti: string
}

/** One event. A member that is not known, or not yet decided, is absent. */
export interface ImpersonationEvent {
  /** When, in milliseconds since the epoch. */
  readonly timeMs: number
  /** The id of the subject token, the same through its whole life: the SHA-256 of its value. */
  readonly id?: string | undefined
  /** The account id of the user to be impersonated. */
  readonly userId?: string | undefined
  /** The actor. */
  readonly actor?: Actor | undefined
  /** The software that acts, for `actor` or on its own: the id of a client of `softwareActors`. */
  readonly software?: string | undefined
  /** The operator and the client that the subject token is bound to, where it is bound to any. */
  readonly mayAct?: MayAct | undefined
  /** The machine-to-machine client that asked for the subject token. */
  readonly requestedBy?: string | undefined
  /** The client that exchanges; in a denial at the stage `'end'`, the client that asked to end. */
  readonly client?: string | undefined
  /** The resource, or at issue those that the token is bound to. */
  readonly resource?: string | readonly string[] | undefined
  /** The scope granted; at issue, the most that ever will be. */
  readonly scope?: string | undefined
  /** The `context` of the subject token. */
  readonly context?: SubjectTokenContext | undefined
  /** When what was issued expires, in seconds since the epoch. */
  readonly expiresAt?: number | undefined
  /** The `jti` of the access token, if it is a JWT: the id of an opaque one is its value. */
  readonly jti?: string | undefined
  /** The permit that allowed it, or several, as the deployment's rule said. */
  readonly permit?: string | readonly string[] | undefined
  /** Why a person has to look at it afterwards, as the deployment's rule said. */
  readonly review?: string | undefined
  /** Of `impersonation.denied`: whose approval it needs. */
  readonly needs?: readonly Need[] | undefined
  /** Of `impersonation.denied`. */
  readonly denial?: Denial | undefined
  /** Of `impersonation.replayed`. */
  readonly redemption?: Redemption | undefined
  /** Of `impersonation.ended`. */
  readonly end?: ImpersonationEnd | undefined
}

/** A listener of an event that a request raises. */
export type ImpersonationListener = (ctx: KoaContextWithOIDC, event: ImpersonationEvent) => unknown

/** A listener of `impersonation.ended`: without a context where no request of its own ended it. */
export type EndListener = (
  ctx: KoaContextWithOIDC | undefined,
  event: ImpersonationEvent,
) => unknown

/**
 * The events of this package. Each `POST` to the management API, and each exchange whose client was
 * authenticated, raises one of the four `impersonation` events, once, after it was decided. A
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
   * An impersonation was ended before its access token expired, or within 300 s after it. Once for
   * each, in the process that ended it.
   */
  'impersonation.ended': EndListener
  /** The record was stored. */
  'subject_token.saved': (subjectToken: SubjectTokenRecord) => void
  /** The record was redeemed. */
  'subject_token.consumed': (subjectToken: SubjectTokenRecord) => void
}

/** The events that can be recorded before their answers leave. */
export type RecordedEventName =
  | 'impersonation.ended'
  | 'impersonation.started'
  | 'impersonation.issued'

/** Records an event. It resolves when the event is stored, and rejects where it is not. */
export type RecordEvent = (name: RecordedEventName, event: ImpersonationEvent) => Promise<unknown>

/** Options of `recordFirst`. */
export interface RecordFirstOptions {
  /**
   * Seconds that an answer waits for its event, more than 0 and at most 30.
   * @defaultValue `2`
   * @example
   * timeout: 5
   */
  readonly timeout?: number | undefined
  /**
   * Asked before a subject token is issued, over HTTP or in the process, and before one is exchanged: whether
   * `record` takes events. It may wait for that, at most `timeout`. Anything but `true` is 503
   * `temporarily_unavailable` with `Retry-After`: nothing is done, nothing is used up, and no event is raised.
   * @defaultValue always ready
   * @example
   * ready: () => true
   */
  readonly ready?: (() => boolean | Promise<boolean>) | undefined
}

type OfRequest = `impersonation.${'denied' | 'started' | 'issued' | 'replayed'}`
type OfImpersonation = OfRequest | 'impersonation.ended'

/** What listens to all of these events: one that may be an end may come without a context. */
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
