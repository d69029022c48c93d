import { useServerTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'

/** What is left, such as `9:05` or `1:02:03`. @param left milliseconds */
export function clockText(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}

/** From then on, it is marked. */
const LAST_SECONDS_MS = 30_000

/** Counts down by the clock of the server. A timer is a live region that stays silent. */
export function Countdown({ session, until }: { session: Session; until: number }) {
  const left = until - useServerTime(session)
  return (
    <span role="timer" class={left <= LAST_SECONDS_MS ? 'countdown last' : 'countdown'}>
      {clockText(left)}
    </span>
  )
}
