import type { AuditEntry } from '../audit/entry.ts'
import { operatorLimit } from './operator-limit.ts'

/** The largest number of recorded refusals of one account in a window. People need fewer. */
const MAX_RECORDED = 20
const MINUTE = 60
/** For accounts that are no support staff: anyone can have one, or many. */
export const STRANGERS_WINDOW = 86_400

/** A request to act that was refused before the provider received it. */
export interface Refusal {
  /** The account id of the operator. */
  readonly operator: string
  /** The `error` of the answer. */
  readonly error: string
  /** What the operator is told. */
  readonly reason: string
  /** What was asked for, if the request could be read. */
  readonly request?: Pick<AuditEntry, 'context' | 'mayAct' | 'scope' | 'subject'> | undefined
}

/**
 * Records a refusal. A signed-in person can cause any number of refusals, with any text: the limit
 * keeps these refusals from hiding other entries and from filling the store.
 *
 * @throws an `Error` with `name` 'Problem', `status` 429, `error` and `retryAfter` (seconds, as text)
 * where this operator was refused too often: such a refusal is not recorded
 */
export type RecordRefusal = (refusal: Refusal) => Promise<void>

/** @param window in seconds */
export function refusalRecorder(
  record: (entry: AuditEntry) => Promise<void>,
  window = MINUTE,
): RecordRefusal {
  const count = operatorLimit(
    MAX_RECORDED,
    window,
    (operator, seconds) =>
      `support.refused: ${operator} was refused ${MAX_RECORDED} times in ${window} s; more is not recorded for ${seconds} s`,
  )
  return async ({ operator, error, reason, request }) => {
    await count(operator)
    void record({
      event: 'support.refused',
      time: Date.now(),
      by: operator,
      actor: { sub: operator },
      denial: { stage: 'issue', error, reason },
      ...request,
    })
  }
}
