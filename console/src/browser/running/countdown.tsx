import type { Session } from '../session.ts'
import { useServerTime } from './clock.ts'

/** What is left, such as `9:05` or `1:02:03`. @param left milliseconds */
export function clockText(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}

/** Counts down by the clock of the server. A timer is a live region that stays silent. */
export function Countdown({ session, until }: { session: Session; until: number }) {
  const left = until - useServerTime(session)
  return (
    <span role="timer" class={left <= 60_000 ? 'countdown urgent' : 'countdown'}>
      {clockText(left)}
    </span>
  )
}
