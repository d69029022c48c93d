import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Skeleton } from '../kit/skeleton.tsx'
import { words } from '../kit/text.tsx'
import { mayPass, readingInWords } from './problem.ts'
import { useSameProblems } from './same-problems.ts'
import { ApiProblem } from './session.ts'
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
 * Shows gray lines, the problem with a way on, or the answer. Where asking again fails, the problem
 * comes below the answer: what is read or typed does not move.
 */
export function Loaded<T>(props: {
  of: Loading<T>
  /** What is being loaded, for screen readers. */
  label: string
  lines?: number
  /** What is said where there is nothing at the address. @defaultValue as of every problem */
  missing?: string
  children: (value: T) => ComponentChildren
}) {
  const { of, label, lines = 3, missing, children } = props
  if (missing !== undefined && isNotThere(of.error)) {
    return (
      <p class="message refused" role="alert">
        {missing}
      </p>
    )
  }
  if (of.error !== undefined) {
    return (
      <>
        {of.value !== undefined && children(of.value)}
        <ProblemMessage error={of.error} again={of.reload} />
      </>
    )
  }
  if (of.value === undefined) return <Skeleton label={label} lines={lines} />
  return <>{children(of.value)}</>
}

export function isNotThere(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}

/**
 * What went wrong in a part of a page, with a button to try again where that can help. That the
 * sign-in is over stands above the page.
 */
export function ProblemMessage({ error, again }: { error: unknown; again: () => unknown }) {
  const said = readingInWords(error)
  const tryAgain = useSameProblems(said, again)
  if (error instanceof ApiProblem && error.status === 401) return null
  if (!tryAgain) return null
  return (
    <div class={`message ${mayPass(error) ? 'trouble' : 'refused'}`} role="alert">
      <p>{said}</p>
      {mayPass(error) && <Button onPress={tryAgain}>{words.web.tryAgain}</Button>}
    </div>
  )
}
