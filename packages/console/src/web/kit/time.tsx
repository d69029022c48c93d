import type { At } from './at.ts'

/** The format of a moment. */
export type TimeForm = 'clock' | 'day' | 'long' | 'ofDay' | 'recent' | 'short'

const OPTIONS: Readonly<Record<TimeForm, Intl.DateTimeFormatOptions>> = {
  short: { dateStyle: 'medium', timeStyle: 'short' },
  /** To the second, with the zone. */
  long: { dateStyle: 'medium', timeStyle: 'long' },
  /** For what is hours old at most. */
  ofDay: { timeStyle: 'short' },
  day: { dateStyle: 'full' },
  /** To the second, if the day stands above. */
  clock: { timeStyle: 'medium' },
  /** Without the year, if it is this one: rows keep to one line. */
  recent: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
}

/** A moment for a sentence or a label. @param moment milliseconds since the epoch */
export function timeText({ locale, zone }: At, moment: number, form: TimeForm = 'short'): string {
  return new Intl.DateTimeFormat(locale, { ...OPTIONS[form], timeZone: zone }).format(moment)
}

/** A moment in UTC, to the millisecond: `2026-11-22 10:40:44.012 UTC`. */
export function utcText(moment: number): string {
  return new Date(moment).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** A moment in the zone of the reader; on hover, in UTC. @param at milliseconds since the epoch */
export function Time({ at: moment, form = 'short' }: { at: number; form?: TimeForm }, at: At) {
  const year = (time: number) =>
    new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: at.zone }).format(time)
  const isOld = form === 'recent' && year(moment) !== year(at.now)
  const utc = utcText(moment)
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={form === 'clock' ? `${timeText(at, moment, 'long')} = ${utc}` : utc}
    >
      {timeText(at, moment, isOld ? 'short' : form)}
    </time>
  )
}

const UNITS = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A length of time that somebody chose: *10 minutes*. @param seconds whole */
export function durationText({ language }: At, seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    seconds / length,
  )
}

/** Writes a duration: `9 min 41 sec`. @param milliseconds 0 or more */
export function elapsedText({ locale }: At, milliseconds: number): string {
  let rest = Math.round(Math.max(0, milliseconds) / 1000)
  const unitText = (count: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit }).format(count)
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest %= length
    return count === 0 ? [] : [unitText(count, unit)]
  })
  return parts.length === 0 ? unitText(0, 'second') : parts.join(' ')
}

/** From then on it is marked, in milliseconds. */
const LAST_MS = 30_000

/**
 * Counts down to a moment: the script writes what is left. A timer is a live region that stays silent.
 *
 * @param until milliseconds since the epoch
 */
export function Countdown({ until }: { until: number }, at: At) {
  const left = Math.max(0, until - at.now)
  const seconds = Math.ceil(left / 1000)
  return (
    <time
      role="timer"
      class={left <= LAST_MS ? 'countdown last' : 'countdown'}
      dateTime={new Date(until).toISOString()}
      data-until={until}
    >
      {`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}
    </time>
  )
}

/** Such as *2 minutes ago*. @param milliseconds how far away; before now: less than 0 */
export function relativeText({ locale }: At, milliseconds: number): string {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const seconds = Math.round(milliseconds / 1000)
  const size = Math.abs(seconds)
  // A text that changed each second would be read out each second.
  if (size < 60) return relative.format(0, 'second')
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}
