import type { SubjectToken } from './subject-token.ts'

/**
 * Events of the subject token's life, in the manner of oidc-provider's own models. The listener
 * receives the model: its `jti` is the hash under which it is stored; its value is not in it.
 */
export interface SubjectTokenEvents {
  'subject_token.saved': (subjectToken: SubjectToken) => void
  'subject_token.consumed': (subjectToken: SubjectToken) => void
  'subject_token.destroyed': (subjectToken: SubjectToken) => void
}

/** Adds a listener for one of {@link SubjectTokenEvents}. */
export type Listen<This> = <Event extends keyof SubjectTokenEvents>(
  event: Event,
  listener: SubjectTokenEvents[Event],
) => This
