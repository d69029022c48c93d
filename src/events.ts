import type { SubjectTokenContext } from './claims-hook.ts'

/** What a listener learns of a subject token: everything but its value, which is stored nowhere. */
export interface SubjectTokenRecord {
  readonly kind: string
  /** The id under which it is stored: the SHA-256 of its value, base64url. */
  readonly jti: string
  /** The user to be impersonated. */
  readonly accountId: string
  /** The machine-to-machine client that asked for it. */
  readonly clientId: string
  /** The `context` it was issued with, frozen all the way down. */
  readonly contextObject: SubjectTokenContext
  /** Seconds since the epoch. */
  readonly exp?: number | undefined
}

/** Events of the subject token's life, in the manner of oidc-provider's own models. */
export interface SubjectTokenEvents {
  'subject_token.saved': (subjectToken: SubjectTokenRecord) => void
  'subject_token.consumed': (subjectToken: SubjectTokenRecord) => void
}

/** Adds a listener for one of {@link SubjectTokenEvents}. */
export type Listen<This> = <Event extends keyof SubjectTokenEvents>(
  event: Event,
  listener: SubjectTokenEvents[Event],
) => This
