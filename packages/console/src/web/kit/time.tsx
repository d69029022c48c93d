import { locale } from './text.tsx'

/** Where a day has 24 hours, all times have one width. */
const hour = new Intl.DateTimeFormat(locale, { hour: 'numeric' })
  .resolvedOptions()
  .hourCycle?.startsWith('h2')
  ? '2-digit'
  : 'numeric'

const FORMATS = {
  short: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  /** To the second, with the zone. */
  long: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' }),
  /** For what is hours old at most. */
  ofDay: new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
  /** To the second, where the day stands above. */
  clock: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
  /** Without the year, where it is this one: rows keep to one line. */
  recent: new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour,
    minute: '2-digit',
  }),
}

/** A moment for a sentence or a label. @param at milliseconds since the epoch */
export function shortTime(at: number): string {
  return FORMATS.short.format(at)
}

/** A moment in UTC, to the millisecond: `2026-11-22 10:40:44.012 UTC`. */
export function utcText(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** A moment in the zone of the reader; on hover, in UTC. @param at milliseconds since the epoch */
export function Time({ at, form = 'short' }: { at: number; form?: keyof typeof FORMATS }) {
  const date = new Date(at)
  const isOld = date.getFullYear() !== new Date().getFullYear()
  const utc = utcText(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={form === 'clock' ? `${FORMATS.long.format(at)} = ${utc}` : utc}
    >
      {FORMATS[form === 'recent' && isOld ? 'short' : form].format(date)}
    </time>
  )
}
