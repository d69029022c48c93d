import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChangedEvent } from '../../api/console/answers.ts'
import { Button, Skeleton } from '../kit/kit.tsx'
import { soon } from '../kit/soon.ts'
import { words } from '../kit/text.tsx'
import { mayPass, readingInWords } from './problem.ts'
import { ApiProblem, type Session } from './session.ts'
import { SIGNED_IN_AGAIN } from './sign-in.ts'

/** Something that a page asks for. */
export interface Loading<T> {
  /** The last answer. It stays while the page asks again. */
  readonly value: T | undefined
  /** Why the last request failed; the answer before it stays. */
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks again, and resolves with the end of it, also where it fails. */
  reload(): Promise<void>
}

/**
 * Asks when the component is shown, and again when a key changes. An answer that is late, since the
 * keys have changed or the component is gone, is dropped.
 *
 * @param keys the answer before is forgotten where one of these changes
 */
export function useLoad<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  keys: readonly (boolean | number | string | undefined)[],
): Loading<T> {
  const key = JSON.stringify(keys)
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown; busy: boolean }>({
    key,
    busy: true,
  })
  const controller = useRef<AbortController | null>(null)
  const load = async () => {
    controller.current?.abort()
    const mine = new AbortController()
    controller.current = mine
    setState((before) => ({ ...(before.key === key ? before : {}), key, busy: true }))
    try {
      const value = await ask(mine.signal)
      if (!mine.signal.aborted) setState({ key, value, busy: false })
    } catch (error) {
      if (!mine.signal.aborted) setState((before) => ({ ...before, error, busy: false }))
    }
  }
  useEffect(() => {
    void load()
    return () => controller.current?.abort()
  }, [key])
  const isRefused = state.error instanceof ApiProblem && state.error.status === 401
  useEffect(() => {
    if (!isRefused) return
    const again = () => void load()
    addEventListener(SIGNED_IN_AGAIN, again)
    return () => removeEventListener(SIGNED_IN_AGAIN, again)
  }, [isRefused, key])
  const current = state.key === key ? state : { key, busy: true }
  return { value: current.value, error: current.error, isLoading: current.busy, reload: load }
}

/**
 * Asks for what has this path, and again after each change of anything.
 *
 * @param concerns which changes; all of them by default
 */
export function useFollowed<T>(
  session: Session,
  path: string,
  concerns: (change: ChangedEvent) => boolean = () => true,
): Loading<T> {
  const page = useLoad<T>((signal) => session.ask(path, { signal }), [path])
  useEffect(() => {
    const stop = new AbortController()
    const refresh = soon(page.reload, stop.signal)
    const unlisten = session.onChange((change) => {
      if (concerns(change)) refresh()
    })
    return () => {
      stop.abort()
      unlisten()
    }
  }, [session, path])
  return page
}

/**
 * Shows gray lines, the problem with a way on, or the answer. Where asking again fails, the problem
 * comes below the answer: what is read or typed does not move.
 */
export function Loaded<T>(props: {
  of: Loading<T>
  /** What is being loaded, for screen readers. */
  label: string
  lines?: number
  children: (value: T) => ComponentChildren
}) {
  const { of, label, lines = 3, children } = props
  if (of.error !== undefined) {
    return (
      <>
        {of.value !== undefined && children(of.value)}
        <Problem error={of.error} again={of.reload} />
      </>
    )
  }
  if (of.value === undefined) return <Skeleton label={label} lines={lines} />
  return <>{children(of.value)}</>
}

/**
 * What went wrong in a part of a page, with a button to try again where that can help. That the
 * sign-in is over stands above the page.
 */
export function Problem({ error, again }: { error: unknown; again: () => unknown }) {
  if (error instanceof ApiProblem && error.status === 401) return null
  return (
    <div class={`message ${mayPass(error) ? 'trouble' : 'refused'}`} role="alert">
      <p>{readingInWords(error)}</p>
      {mayPass(error) && <Button onPress={again}>{words.web.tryAgain}</Button>}
    </div>
  )
}
