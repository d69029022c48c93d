import { useEffect, useRef } from 'preact/hooks'
import { soon } from '../../../../web/kit/soon.ts'
import type { Session } from '../../../../web/session/session.ts'
import { type Live, liveOf } from './live.ts'

/** How long the list is left as it is while what runs does something, in milliseconds. */
const LATEST_EVERY_MS = 3000

/** Loads the list again when one of those that run does something. */
export function useLatest(session: Session, { running = [] }: Live): void {
  const ids = useRef<ReadonlySet<string>>(new Set())
  ids.current = new Set(running.map(({ id }) => id))
  useEffect(() => {
    const stop = new AbortController()
    const reload = soon(() => liveOf(session).reload(), stop.signal, LATEST_EVERY_MS)
    const stopListening = session.onChange((change) => {
      if (!change.isOfRunning && change.ids.some((id) => ids.current.has(id))) reload()
    })
    return () => {
      stop.abort()
      stopListening()
    }
  }, [session])
}
