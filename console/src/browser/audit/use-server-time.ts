import { useEffect, useState } from 'preact/hooks'
import type { AuditRow } from '../../audit/row.ts'
import type { Session } from '../session.ts'

/** The longest time that a timer of a browser can wait. */
const LONGEST = 2 ** 31 - 1

/**
 * The time of the server, in milliseconds since the epoch. The component is drawn again when the next
 * of the rows expires: an expiry raises no event.
 */
export function useServerTime({ clockOffset }: Session, rows: readonly AuditRow[]): number {
  const [, redraw] = useState({})
  const now = Date.now() + clockOffset
  const next = rows.reduce(
    (next, { end, expiresAt = 0 }) =>
      !end && expiresAt > now && expiresAt < next ? expiresAt : next,
    Number.POSITIVE_INFINITY,
  )
  useEffect(() => {
    if (next === Number.POSITIVE_INFINITY) return
    const timer = setTimeout(() => redraw({}), Math.min(next - Date.now() - clockOffset, LONGEST))
    return () => clearTimeout(timer)
  }, [next, clockOffset])
  return now
}
