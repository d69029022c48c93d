import type { Foreseen } from '../../../web/acting/foresee.ts'
import type { Question } from './may-act.ts'

/** `GET /rules`: lead, auditor. Nothing starts, and nothing is recorded. 429 after 60 questions in a minute. */
export interface RulesAnswer {
  /** What each part of the deployment's rule says of itself; `null` for one that says nothing. Empty without a rule. */
  readonly rules: readonly (string | null)[]
  readonly question: Question
  /** The answer to the question. */
  readonly mayAct?: Foreseen
  /** Why there is no answer: the question is not accepted, or there is no such customer. */
  readonly notAnswered?: { readonly error: string; readonly why: string }
}
