import type { PauseAnswer } from '../../api/pauses/answers.ts'
import { text, words } from '../kit/text.tsx'
import { ApiProblem } from '../session/session.ts'
import { nameOf } from './names.ts'

/** Why the reader cannot act, for the reader. */
export function pausedInWords({ customer, by }: PauseAnswer): string {
  const { pause } = words.permits
  return customer
    ? text(pause.objected, { customer: nameOf(customer) })
    : text(pause.byLead, { person: nameOf(by) })
}

/** The pause that a request of the reader was refused for. */
export function pauseIn(error: unknown): PauseAnswer | undefined {
  if (!(error instanceof ApiProblem) || error.error !== 'paused') return undefined
  // The API of the same version answers it.
  return (error.body as { readonly pause?: PauseAnswer }).pause
}
