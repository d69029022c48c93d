import type { Need } from 'oidc-provider-impersonation'
import type { PauseAnswer } from '../../../web/pause-answers.ts'

/** `GET /rules`: lead, auditor. */
export interface RulesAnswer {
  /** What each part of the deployment's rule says of itself; `null` for one that says nothing. Empty without a rule. */
  readonly rules: readonly (string | null)[]
}

/**
 * The body of `POST /may-act`: lead, auditor. 200 {@link MayActAnswer}. Nothing starts, and nothing is recorded.
 * 400 `invalid_request`, also where the provider needs more of `context`. 404 `user_not_found`, for an auditor also
 * for a customer of whom the audit has nothing. 429 after 60 questions in a minute.
 */
export interface MayActBody {
  /** The account id. */
  readonly operator: string
  /** The account id of the customer. */
  readonly userId: string
  /** The client id of the application. */
  readonly application: string
  readonly access: 'change' | 'read'
  /** Without it, the example of a ticket. */
  readonly ticketId?: string
}

/** What would be answered to the operator now. It is no promise: a start asks again. */
export interface MayActAnswer {
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** Of `'refused'`: what refuses. */
  readonly by?: 'pause' | 'protected' | 'role' | 'rule'
  /** Of `'protected'`: the sentence of the directory, or that nobody acts as themselves. */
  readonly reason?: string
  readonly pause?: PauseAnswer
  /** Of `'allowed'`: how long at most, in seconds, where that is known. */
  readonly seconds?: number
  /** Of `'allowed'`: the permits by which. */
  readonly permits?: readonly string[]
  /** Of `'needs'`: whose approval. */
  readonly needs?: readonly Need[]
  /** Of `'needs'`, where the console has permits: who can give it, as an operator is told it. */
  readonly approval?: object
}
