import { dateOf } from '../when.ts'
import type { At } from './at.ts'

/** The formats of a moment. */
const FORMS = {
  short: { dateStyle: 'medium', timeStyle: 'short' },
  /** To the second, with the zone. */
  long: { dateStyle: 'medium', timeStyle: 'long' },
  /** Without the day, which is known. */
  ofDay: { timeStyle: 'short' },
  day: { dateStyle: 'full' },
  month: { month: 'long', year: 'numeric' },
  /** To the second, if the day stands above. */
  clock: { timeStyle: 'medium' },
  /** Without the year, if it is this one: rows keep to one line. */
  recent: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

type TimeForm = keyof typeof FORMS

/** A moment for a sentence or a label. @param moment milliseconds since the epoch */
export function timeText({ locale, zone }: At, moment: number, form: TimeForm = 'short'): string {
  return new Intl.DateTimeFormat(locale, { ...FORMS[form], timeZone: zone }).format(moment)
}

/** A moment in the zone of the reader; on hover, in UTC. @param at milliseconds since the epoch */
export function Time({ at: moment, form = 'short' }: { at: number; form?: TimeForm }, at: At) {
  const yearOf = (time: number) => dateOf(at.zone, time).split('-')[0]
  const isOld = form === 'recent' && yearOf(moment) !== yearOf(at.now)
  const iso = new Date(moment).toISOString()
  return (
    <time dateTime={iso} title={iso.replace('T', ' ').replace('Z', ' UTC')}>
      {timeText(at, moment, isOld ? 'short' : form)}
    </time>
  )
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A length of time: *9 minutes 41 seconds*. */
export function durationText({ locale }: At, seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const unitText = (count: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest %= length
    return count === 0 ? [] : [unitText(count, unit)]
  })
  return parts.length === 0 ? unitText(0, 'second') : parts.join(' ')
}

/**
 * Counts down to a moment: the script writes what is left. A timer is a live region that stays silent.
 *
 * @param until milliseconds since the epoch
 */
export function Countdown({ until }: { until: number }, at: At) {
  const seconds = Math.ceil(Math.max(0, until - at.now) / 1000)
  return (
    <time
      role="timer"
      class="countdown"
      dateTime={new Date(until).toISOString()}
      data-until={until}
    >
      {`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}
    </time>
  )
}
