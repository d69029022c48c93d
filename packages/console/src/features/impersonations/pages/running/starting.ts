import type { HandOver } from '../../../../web/answers.ts'
import { isShown, say } from '../../../../web/kit/message.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { liveOf } from './live.ts'

/** How long an application may take before the operator is asked to look at its tab, in milliseconds. */
const START_TIMEOUT_MS = 5000

/** Says that the application is open once it acts as the customer, and after a while that it does not. */
export function announceStart(
  session: Session,
  { id, expiresIn, application: { name: application } }: HandOver,
  name: string,
): void {
  const live = liveOf(session)
  const late = text(words.impersonations.operators.notStarted, { application })
  let isLate = false
  const look = () => {
    const { running, gone } = live.state
    const isRunning = running?.some((it) => it.id === id)
    if (!isRunning && !gone.some(({ impersonation }) => impersonation.id === id)) return
    stop()
    // Another message may have come meanwhile.
    if (isLate && !isShown(late)) return
    if (isRunning) say('done', text(words.impersonations.operators.started, { application, name }))
  }
  const timers = [
    setTimeout(() => {
      isLate = true
      say('trouble', late)
    }, START_TIMEOUT_MS),
    // The subject token is worth nothing then.
    setTimeout(() => stop(), expiresIn * 1000),
  ]
  const unsubscribe = live.subscribe(look)
  const stop = () => {
    for (const timer of timers) clearTimeout(timer)
    unsubscribe()
  }
  look()
}
