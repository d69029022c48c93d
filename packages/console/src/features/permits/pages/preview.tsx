import { useEffect, useState } from 'preact/hooks'
import type { ActBody } from '../../../web/answers.ts'
import { words } from '../../../web/kit/text.tsx'
import { serverTime } from '../../../web/session/clock.ts'
import { pausedInWords, pauseOfProblem } from '../../../web/session/paused.ts'
import type { Session } from '../../../web/session/session.ts'
import type { PreviewAnswer } from '../server/api/answers.ts'
import { neededInWords } from './in-words.ts'

/** How long after the last change the rule is asked, in milliseconds. */
const PAUSE_MS = 400

const { permits: labels } = words

/** What the rule says of a start, before it is asked for. A rule that cannot be asked now says nothing. */
export function PreviewHint(props: {
  session: Session
  /** `undefined` while something is missing. */
  body: ActBody | undefined
}) {
  const { session, body } = props
  const [hint, setHint] = useState<string>()
  const key = JSON.stringify(body)
  useEffect(() => {
    setHint(undefined)
    if (!body) return
    const over = new AbortController()
    const { signal } = over
    const timer = setTimeout(async () => {
      const ask = { method: 'POST', body, signal } as const
      const found = await session
        .ask<PreviewAnswer>('/impersonations/preview', ask)
        .then((answer) => verdictInWords(answer, serverTime(session)), pausedHint)
      if (!signal.aborted) setHint(found)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [key])
  return (
    <p class="hint" role="status">
      {hint}
    </p>
  )
}

function pausedHint(error: unknown): string | undefined {
  const pause = pauseOfProblem(error)
  return pause && pausedInWords(pause)
}

function verdictInWords({ verdict, approval }: PreviewAnswer, now: number): string | undefined {
  if (verdict === 'refused') return labels.ask.ruleRefuses
  return approval && neededInWords(approval, now)
}
