import type { Need } from 'oidc-provider-impersonation'
import type { RecordAnswer } from '../../../web/record-answer.ts'

/** `GET /rules`: lead, auditor. Nothing starts, and nothing is recorded. 429 after 60 questions in a minute. */
export interface RulesAnswer {
  /** What each part of the deployment's rule says of itself; `null` for one that says nothing. Empty without a rule. */
  readonly rules: readonly (string | null)[]
  readonly question: Question
  /** The answer to the question. */
  readonly mayAct?: MayActAnswer
  /** Why there is no answer: the question is not accepted, or there is no such customer. */
  readonly notAnswered?: { readonly error: string; readonly why: string }
}

export interface Question {
  readonly operator?: string | undefined
  readonly userId?: string | undefined
  readonly application?: string | undefined
  readonly access?: 'change' | 'read' | undefined
  readonly ticketId?: string | undefined
}

/** What would be answered to the operator now. It is no promise: a start asks again. */
export interface MayActAnswer {
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** Of `'refused'`: what refuses. */
  readonly by?: 'protected' | 'role' | 'rule' | 'self' | 'stop'
  /** Of `'protected'`: the sentence of the directory. */
  readonly reason?: string
  readonly record?: RecordAnswer
  /** Of `'allowed'`: how long at most, in seconds, where that is known. */
  readonly seconds?: number
  /** Of `'allowed'`: the permits by which. */
  readonly permits?: readonly string[]
  /** Of `'needs'`: whose approval. */
  readonly needs?: readonly Need[]
  /** Of `'needs'`, where the console has permits: who can give it, as an operator is told it. */
  readonly approval?: object
}
