import { locale } from '../kit/text.tsx'
import { useServerTime } from '../session/clock.ts'
import type { Session } from '../session/session.ts'

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

const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** When it started: what runs is hours old at most. UTC on hover. */
export function TimeOfDay({ at }: { at: number }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={iso.replace('T', ' ').replace(/\.\d+Z/, ' UTC')}>
      {timeOfDay.format(at)}
    </time>
  )
}
