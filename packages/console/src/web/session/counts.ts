import { useEffect, useState } from 'preact/hooks'
import type { Session } from './session.ts'

/** How much waits for the reader, as the stream said last: requests, reviews and alarms. */
export function useWaiting(session: Session): number {
  const [count, setCount] = useState(sumOf(session.counts))
  useEffect(() => {
    setCount(sumOf(session.counts))
    return session.onChange((change) => setCount(sumOf(change)))
  }, [session])
  return count
}

const sumOf = ({ alarms, toDecide = 0 }: { alarms: number; toDecide?: number }) => alarms + toDecide
