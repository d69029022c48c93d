import type { AuditEntry } from './audit/entry.ts'
import type { Recorder } from './audit/recorder.ts'
import { refusalCounter } from './backend/refusals.ts'

/** A request to act that the deployment's backend refused before the provider received it. */
export interface Refusal {
  /** The account id of the operator. */
  readonly operator: string
  /** The `error` of the answer. */
  readonly error: string
  /** What the operator is told. */
  readonly reason: string
  /** What was asked for, if the request could be read. */
  readonly request?: Pick<AuditEntry, 'subject' | 'scope' | 'context'> | undefined
}

/**
 * Records a refusal.
 *
 * @throws Problem 429 where this operator was refused too often: such a refusal is not recorded.
 */
export type RecordRefusal = (refusal: Refusal) => Promise<void>

export function refusalRecorder(audit: Pick<Recorder, 'record'>): RecordRefusal {
  const countRefusal = refusalCounter()
  return async ({ operator, error, reason, request }) => {
    await countRefusal(operator)
    void audit.record({
      event: 'support.refused',
      time: Date.now(),
      actor: { sub: operator },
      denial: { stage: 'issue', error, reason },
      ...request,
    })
  }
}
