import { useEffect } from 'preact/hooks'
import type { ChangedEvent } from '../answers.ts'
import { soon } from '../kit/soon.ts'
import { type Loading, useLoad } from './load.tsx'
import type { AskOptions } from './session.ts'

/** What tells of changes: a session. */
interface Changing<C> {
  onChange(listener: (change: C) => void): () => void
}

/** When something is read again. */
export interface Following<C> {
  /** After which changes. @defaultValue all of them */
  readonly concerns?: ((change: C) => boolean) | undefined
  /** Also after each time of this length, in milliseconds. */
  readonly every?: number | undefined
  /** Whether such a time counts. @defaultValue it does */
  readonly isDue?: () => boolean
  /** Also when it begins. */
  readonly atOnce?: boolean
  /** While nobody sees the page, nothing is read: it is when it is seen again. */
  readonly whileSeen?: boolean
}

/** Changes of these, by id. A change without ids may be of anything. */
export function isAbout(known: () => readonly string[]) {
  return ({ ids }: ChangedEvent) => ids.length === 0 || known().some((id) => ids.includes(id))
}

/**
 * Reads again what changes can make old, until the result is called.
 *
 * @param read what fails in it is left to the next; its signal aborts at the end
 */
export function keepUp<C>(
  session: Changing<C>,
  read: (signal: AbortSignal) => Promise<unknown>,
  {
    concerns = () => true,
    every,
    isDue = () => true,
    atOnce = false,
    whileSeen = false,
  }: Following<C> = {},
): () => void {
  const stop = new AbortController()
  const refresh = soon(() => read(stop.signal), stop.signal)
  const look = () => {
    if (!whileSeen || !document.hidden) refresh()
  }
  if (atOnce) refresh()
  const stopListening = session.onChange((change) => {
    if (concerns(change)) look()
  })
  const timer = every === undefined ? undefined : setInterval(() => isDue() && look(), every)
  if (whileSeen) document.addEventListener('visibilitychange', look, { signal: stop.signal })
  return () => {
    stop.abort()
    stopListening()
    clearInterval(timer)
  }
}

/**
 * Asks for what has this path, and keeps it up to date while the component is shown.
 *
 * @param following the same at each drawing, but for what depends on `path`
 */
export function useLive<T, C = ChangedEvent>(
  session: Changing<C> & { ask(path: string, how: AskOptions): Promise<T> },
  path: string,
  following?: Following<C>,
): Loading<T> {
  const loading = useLoad((signal) => session.ask(path, { signal }), [path])
  useEffect(() => keepUp(session, loading.reload, following), [session, path])
  return loading
}
