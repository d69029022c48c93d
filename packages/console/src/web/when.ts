import { DAY_MS, MAX_DATE_MS } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { Read } from '../kernel/input.ts'

/** A part of time: from a moment on, and before another. In milliseconds since the epoch. */
export interface Range {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

const RANGE = /^(\d{0,16})-(\d{0,16})$/

const isMoment = (text: string) => /^\d{1,16}$/.test(text) && Number(text) <= MAX_DATE_MS

/** A day of the calendar, from 1970 on. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : -1
  return time >= 0 && new Date(time).toISOString().startsWith(text)
}

const momentOrDay = v.optional(
  v.pipe(
    v.string(),
    v.check((text) => isMoment(text) || isDay(text), 'must be a moment in milliseconds, or a day'),
  ),
)

/** The parameters of a part of time. */
export const WHEN = {
  /** `any`, `days` for those of `from` and `to`, or a range: `1764288000000-1764374400000`. */
  when: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => text === 'any' || text === 'days' || rangeOf(text) !== undefined,
        'must be any, days, or a range',
      ),
    ),
  ),
  /** Milliseconds since the epoch, or a day in the time zone of the reader. The day of `to` counts. */
  from: momentOrDay,
  to: momentOrDay,
}

/** A filter of a request, with its part of time by the calendar of the reader. */
export function withRange<F extends Read<typeof WHEN>>(
  { when, from, to, ...asked }: F,
  zone: string,
): Omit<F, keyof typeof WHEN> & Range {
  if (when === 'any') return asked
  const momentOf = (text: string | undefined, end: 'from' | 'to') => {
    if (text === undefined) return undefined
    return isDay(text) ? daysFrom(zone, text, 1)[end] : Number(text)
  }
  const range = rangeOf(when) ?? { from: momentOf(from, 'from'), to: momentOf(to, 'to') }
  return { ...asked, ...range }
}

/** Checks whether a request is for days of the calendar. */
export function asksForDays({ when, from, to }: Read<typeof WHEN>): boolean {
  return when === undefined ? isDay(from ?? to ?? '') : when === 'days'
}

/** A range in an address. One end may be open. */
export function rangeText({ from, to }: Range): string {
  return `${from ?? ''}-${to ?? ''}`
}

function rangeOf(text = ''): Range | undefined {
  const [, from = '', to = ''] = RANGE.exec(text) ?? []
  if (from + to === '' || ![from, to].every((end) => end === '' || isMoment(end))) return undefined
  return { from: from === '' ? undefined : Number(from), to: to === '' ? undefined : Number(to) }
}

/** The date of a moment: `2026-11-17`. */
export function dateOf(zone: string, time: number): string {
  return new Intl.DateTimeFormat('sv', { timeZone: zone }).format(time)
}

/**
 * Returns the range of `count` days. A day of 23 or 25 hours is one day.
 *
 * @param day such as `2026-11-17`
 * @param after how many days after it they begin
 */
export function daysFrom(zone: string, day: string, count: number, after = 0) {
  const midnightIn = (days: number) => midnight(zone, Date.parse(day) + days * DAY_MS)
  return { from: midnightIn(after), to: midnightIn(after + count) }
}

/** The month of a moment, or one so many months before it. */
export function monthOf(zone: string, time: number, back = 0) {
  const [year = 0, month = 0] = dateOf(zone, time).split('-').map(Number)
  return {
    from: midnight(zone, Date.UTC(year, month - 1 - back)),
    to: midnight(zone, Date.UTC(year, month - back)),
  }
}

/** @param utc midnight of the day in UTC */
function midnight(zone: string, utc: number): number {
  // The clock may change between the two.
  return utc - offsetAt(zone, utc - offsetAt(zone, utc))
}

/** Returns how far the clock of a zone is ahead of UTC, in milliseconds. */
function offsetAt(timeZone: string, time: number): number {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return Date.parse(`${format.format(time)}Z`) - time
}
