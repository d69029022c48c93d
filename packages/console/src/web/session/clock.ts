import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from './session.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls back each second: all countdowns of a page share one timer, and change at once. */
export function eachSecond(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of [...listeners]) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time of the server, in milliseconds since the epoch: the clock of this machine may be wrong. */
export const serverTime = (session: Session) => Date.now() + session.clockOffset

/** The time of the server, again each second. */
export function useServerTime(session: Session): number {
  const [now, setNow] = useState(() => serverTime(session))
  useEffect(() => {
    const tick = () => setNow(serverTime(session))
    const stop = eachSecond(tick)
    // Timers stand still while the machine sleeps.
    document.addEventListener('visibilitychange', tick)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', tick)
    }
  }, [session])
  return now
}

/** The longest time that a timer of a browser can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * The time of the server. The component is drawn again when the next of the rows expires: an expiry
 * raises no event.
 */
export function useTimeUntilExpiry(session: Session, rows: readonly AuditRow[]): number {
  const [, redraw] = useState({})
  const now = serverTime(session)
  const next = rows.reduce(
    (next, { end, expiresAt = 0 }) =>
      !end && expiresAt > now && expiresAt < next ? expiresAt : next,
    Number.POSITIVE_INFINITY,
  )
  useEffect(() => {
    if (next === Number.POSITIVE_INFINITY) return
    const timer = setTimeout(() => redraw({}), Math.min(next - serverTime(session), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }, [next, session])
  return now
}
