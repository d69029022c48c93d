import { nameOf } from '../kit/names.ts'
import { text, words } from '../kit/text.tsx'
import { shortTime } from '../kit/time.tsx'
import type { PauseAnswer } from '../pause-answers.ts'
import { ApiProblem } from './session.ts'

/** Why the reader cannot act, or another operator. */
export function pausedInWords({ customer, by, operator, until, isMine }: PauseAnswer): string {
  const { pause } = words.permits
  if (customer) {
    const slots = { operator: nameOf(operator), customer: nameOf(customer) }
    return text(isMine ? pause.objected : pause.one, slots)
  }
  const slots = { operator: nameOf(operator), person: nameOf(by) }
  if (until === undefined) return text(isMine ? pause.byLead : pause.oneForAll, slots)
  const time = shortTime(until)
  return text(isMine ? pause.byLeadUntil : pause.oneForAllUntil, { ...slots, time })
}

/** The pause that a request of the reader was refused for. */
export function pauseOfProblem(error: unknown): PauseAnswer | undefined {
  if (!(error instanceof ApiProblem) || error.error !== 'paused') return undefined
  // The API of the same version answers it.
  return (error.body as { readonly pause?: PauseAnswer }).pause
}
