import { useEffect, useState } from 'preact/hooks'
import type { ActBody } from '../../api/console/answers.ts'
import type { PreviewAnswer } from '../../api/permits/answers.ts'
import { words } from '../kit/text.tsx'
import { pausedInWords, pauseIn } from '../running/paused.ts'
import { serverTime } from '../session/clock.ts'
import type { Session } from '../session/session.ts'
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
        .then((answer) => inWords(answer, serverTime(session)), pausedHint)
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
  const pause = pauseIn(error)
  return pause && pausedInWords(pause)
}

function inWords({ verdict, approval }: PreviewAnswer, now: number): string | undefined {
  if (verdict === 'refused') return labels.ask.ruleRefuses
  return approval && neededInWords(approval, now)
}
