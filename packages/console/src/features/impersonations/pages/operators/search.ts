import { useEffect, useRef, useState } from 'preact/hooks'
import type { CustomerAnswer, CustomersAnswer } from '../../../../web/answers.ts'
import type { Session } from '../../../../web/session/session.ts'

/** How long typing has to rest before the search starts, in milliseconds. */
const TYPING_PAUSE_MS = 200
/** The longest text that the API takes. */
export const MAX_TEXT_LENGTH = 100

export interface Found {
  /** What was searched for. */
  readonly text: string
  readonly customers: readonly CustomerAnswer[]
  readonly more: boolean
}

export interface Search {
  readonly text: string
  /** Of the newest search; of the one before while the newest is on its way. */
  readonly found: Found | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Searches when typing rests. */
  readonly type: (text: string) => void
  /** Searches at once. */
  readonly now: () => void
  readonly more: () => Promise<void>
}

interface State {
  readonly text: string
  readonly found?: Found | undefined
  readonly error?: unknown
  readonly isLoading: boolean
}

/** The last search of this page: the way back from a customer leads to it. It holds no token. */
const last = new WeakMap<Session, State>()

/** A search whose late answers are never shown for another text. */
export function useSearch(session: Session): Search {
  const [state, setState] = useState<State>(
    () => last.get(session) ?? { text: '', isLoading: false },
  )
  const asked = useRef<AbortController>()
  const pause = useRef<ReturnType<typeof setTimeout>>()
  last.set(session, { ...state, isLoading: false, error: undefined })

  const ask = async (text: string, offset: number, earlier: readonly CustomerAnswer[]) => {
    clearTimeout(pause.current)
    asked.current?.abort()
    asked.current = new AbortController()
    const { signal } = asked.current
    setState((before) => ({ ...before, isLoading: true, error: undefined }))
    try {
      const query = new URLSearchParams({ q: text, offset: String(offset) })
      const answer = await session.ask<CustomersAnswer>(`/customers?${query}`, { signal })
      if (signal.aborted) return
      const customers = [...earlier, ...answer.customers.filter(isNotIn(earlier))]
      const found = { text, customers, more: answer.more }
      setState((before) => ({ ...before, found, isLoading: false }))
    } catch (error) {
      if (signal.aborted) return
      setState((before) => ({ ...before, error, isLoading: false }))
    }
  }

  const search = (text: string) => {
    const asks = text.trim()
    if (asks !== '') return ask(asks, 0, [])
    // Nothing is listed without a search.
    asked.current?.abort()
    clearTimeout(pause.current)
    setState({ text, isLoading: false })
  }

  useEffect(
    () => () => {
      clearTimeout(pause.current)
      asked.current?.abort()
    },
    [],
  )

  return {
    text: state.text,
    found: state.found,
    error: state.error,
    isLoading: state.isLoading,
    type(text) {
      setState((before) => ({ ...before, text }))
      clearTimeout(pause.current)
      if (text.trim() === '') void search(text)
      else if (text.trim() !== state.found?.text || state.isLoading) {
        pause.current = setTimeout(() => void search(text), TYPING_PAUSE_MS)
      }
    },
    now: () => void search(state.text),
    async more() {
      const { found } = state
      if (found?.more) await ask(found.text, found.customers.length, found.customers)
    },
  }
}

/** A customer who was added meanwhile moves others to the next page: they are not shown twice. */
function isNotIn(earlier: readonly CustomerAnswer[]) {
  const ids = new Set(earlier.map(({ id }) => id))
  return ({ id }: CustomerAnswer) => !ids.has(id)
}
