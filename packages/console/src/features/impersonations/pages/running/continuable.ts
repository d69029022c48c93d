import { useEffect, useState } from 'preact/hooks'
import type { ContinuableAnswer } from '../../../../web/answers.ts'
import { keepUp } from '../../../../web/session/live.ts'
import type { Session } from '../../../../web/session/session.ts'

/**
 * Those that the operator cannot continue now: a pause holds, a person took the approval back, or its window is
 * over. The server is asked when one begins to be shown or comes to its end, and after each change of something
 * else than these.
 *
 * @param shown the ids, each with what makes it worth asking again
 */
export function useStopped(
  session: Session,
  shown: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const [stopped, setStopped] = useState<ReadonlySet<string>>(new Set())
  const key = JSON.stringify([...shown])
  useEffect(() => {
    if (shown.size === 0) return
    const look = async (signal: AbortSignal) => {
      const found = await Promise.all([...shown.keys()].map((id) => isStopped(session, id, signal)))
      if (signal.aborted) return
      setStopped(new Set([...shown.keys()].filter((_, index) => found[index])))
    }
    return keepUp(session, look, {
      atOnce: true,
      // What is done in one of them stops nothing.
      concerns: ({ ids }) => ids.length === 0 || ids.some((id) => !shown.has(id)),
    })
  }, [session, key])
  return stopped
}

/** Where the server does not say it, the way on stays: it refuses what may not be. */
async function isStopped(session: Session, id: string, signal: AbortSignal): Promise<boolean> {
  const path = `/impersonations/${encodeURIComponent(id)}/continue`
  const answer = session.ask<ContinuableAnswer>(path, { signal })
  return answer.then(
    ({ canContinue }) => !canContinue,
    () => false,
  )
}
