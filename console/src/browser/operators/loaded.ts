import { useEffect, useRef, useState } from 'preact/hooks'

/** What a page asked for: not here yet, here, or refused. */
export interface Loaded<T> {
  readonly value?: T | undefined
  readonly error?: unknown
  readonly isLoading: boolean
  /** Asks again; what is shown stays until the answer is here. */
  readonly reload: () => void
}

interface State<T> {
  readonly key: string
  readonly value?: T | undefined
  readonly error?: unknown
  readonly isLoading: boolean
}

/**
 * Loads what `key` names. The answer to an earlier key is never shown for a later one: not when it
 * is late, and not until the later one is here.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key, isLoading: true })
  const [turn, setTurn] = useState(0)
  const current = useRef(load)
  current.current = load
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` asks again
  useEffect(() => {
    const stop = new AbortController()
    setState((before) =>
      before.key === key ? { ...before, isLoading: true } : { key, isLoading: true },
    )
    current.current(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ key, value, isLoading: false })
      },
      (error: unknown) => {
        if (stop.signal.aborted) return
        setState((before) => ({ ...(before.key === key && before), key, error, isLoading: false }))
      },
    )
    return () => stop.abort()
  }, [key, turn])
  const reload = useRef(() => setTurn((before) => before + 1)).current
  return state.key === key ? { ...state, reload } : { isLoading: true, reload }
}
