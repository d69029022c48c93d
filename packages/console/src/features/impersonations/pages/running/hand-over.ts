import type { HandOver } from '../../../../web/answers.ts'
import { clearMessage, say } from '../../../../web/kit/message.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import { pausedInWords, pauseOfProblem } from '../../../../web/session/paused.ts'
import { inWords, mayPass } from '../../../../web/session/problem.ts'
import { ApiProblem, type Session, type Start } from '../../../../web/session/session.ts'
import { makeWay } from './ending.ts'
import { liveOf } from './live.ts'
import { NoTab, openApplication } from './opening.ts'
import { announceStart } from './starting.ts'

/** What a hand-over is asked for, and what happens where it fails. */
export interface HandingOver {
  /** The customer, in messages. */
  readonly name: string
  readonly ask: () => Promise<HandOver>
  /** Answers whether it has said what is wrong, instead of the message. */
  readonly onProblem?: ((problem: ApiProblem) => boolean) | undefined
  /** Aborts where the operator has left the form: nothing starts then, and nothing is said. */
  readonly signal?: AbortSignal | undefined
  /** Does the whole again, after trouble that may pass. */
  readonly again: () => unknown
}

/**
 * Opens the application as the customer, and says what came of it.
 *
 * @returns the hand-over; `undefined` where nothing was started
 */
export async function handOver(
  session: Session,
  { name, ask, onProblem, signal, again }: HandingOver,
): Promise<HandOver | undefined> {
  const { web } = words
  const { operators } = words.impersonations
  clearMessage()
  try {
    const done = await openApplication(session, text(operators.opening, { name }), ask, signal)
    session.changed()
    announceStart(session, done, name)
    return done
  } catch (error) {
    if (signal?.aborted) return undefined
    if (error instanceof ApiProblem && onProblem?.(error)) return undefined
    if (error instanceof NoTab) say('refused', operators[error.why])
    else if (mayPass(error)) say('trouble', inWords(error), { label: web.tryAgain, run: again })
    else say('refused', refusal(error, name))
    return undefined
  }
}

/** Acts as a customer, and ends what the operator runs in the same application. @returns whether it began */
export async function start(
  session: Session,
  { body, customer, application, before, signal, onProblem, again }: Start,
): Promise<boolean> {
  const inTheWay = (liveOf(session).state.running ?? []).filter(
    (it) => it.isMine && it.application === application,
  )
  const done = await handOver(session, {
    name: customer,
    async ask() {
      await before?.()
      signal?.throwIfAborted()
      const how = { method: 'POST', body, ...(signal && { signal }) } as const
      const issued = await session.ask<HandOver>('/impersonations', how)
      // After the issue, so that a refusal ends nothing.
      if (!signal?.aborted) await makeWay(session, inTheWay)
      return issued
    },
    signal,
    onProblem,
    again,
  })
  return done !== undefined
}

function refusal(error: unknown, name: string): string {
  const { operators } = words.impersonations
  if (!(error instanceof ApiProblem)) return inWords(error)
  const pause = pauseOfProblem(error)
  if (pause) return pausedInWords(pause)
  if (error.status === 403) return text(operators.refused, { name })
  if (error.status === 404) return text(operators.gone, { name })
  return error.status === 400 ? operators.wrong : inWords(error)
}
