import { useEffect, useState } from 'preact/hooks'
import type { CustomersAnswer } from '../../../web/answers.ts'
import type { Session } from '../../../web/session/session.ts'

/** How long after the last key the directory is asked, in milliseconds. */
const PAUSE_MS = 300

interface Suggested {
  readonly id: string
  readonly name: string
}

/** The customers whom a text finds. An auditor cannot search them, and gets none. */
export function useCustomers(session: Session, typed: string): readonly Suggested[] {
  const [found, setFound] = useState<readonly Suggested[]>([])
  const wanted = session.me.role === 'auditor' ? '' : typed.trim()
  useEffect(() => {
    if (wanted === '') return
    const over = new AbortController()
    const { signal } = over
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ q: wanted })
      const answer = await session
        .ask<CustomersAnswer>(`/customers?${query}`, { signal })
        .catch(() => undefined)
      if (!signal.aborted && answer) setFound(answer.customers)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [wanted])
  return found
}

/** What the browser offers below an input: the name is shown, and the id is entered. */
export function Suggestions({ id, of }: { id: string; of: readonly Suggested[] }) {
  return (
    <datalist id={id}>
      {of.map((each) => (
        <option key={each.id} value={each.id}>
          {each.name}
        </option>
      ))}
    </datalist>
  )
}
