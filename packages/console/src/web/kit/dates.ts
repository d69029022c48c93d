/** A part of time: from a moment on, and before another. In milliseconds since the epoch. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A range that may be open at one end, or at both. */
export interface OpenRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

// Days and months are those of the reader's time zone. `Date` counts over the ends of months, and a
// day of 23 or 25 hours is one day.

/** @param month 0 is January */
function dayRange(year: number, month: number, day: number): Range {
  return { from: startOf(year, month, day), to: startOf(year, month, day + 1) }
}

/** @param month 0 is January */
function monthRange(year: number, month: number): Range {
  return { from: startOf(year, month, 1), to: startOf(year, month + 1, 1) }
}

/** The days before today, with today. @param now in milliseconds since the epoch */
export function lastDays(now: number, days: number): Range {
  const [year, month, day] = partsOf(now)
  return { from: startOf(year, month, day - days + 1), to: startOf(year, month, day + 1) }
}

/** The month of a moment: `2026-11`. */
export function monthOf(time: number): string {
  return dateOf(time).slice(0, 7)
}

/** The date of a moment, as date inputs have it: `2026-11-17`. */
export function dateOf(time: number): string {
  const [year, month, day] = partsOf(time)
  const pad = (value: number, length: number) => String(value).padStart(length, '0')
  return `${pad(year, 4)}-${pad(month + 1, 2)}-${pad(day, 2)}`
}

/**
 * The day of a date input. While a year is typed, the input has years such as 0002: they are
 * `undefined`.
 */
export function rangeOfDate(value: string): Range | undefined {
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number)
  return year < 1970 || year > 9999 ? undefined : dayRange(year, month - 1, day)
}

/** The month of a select: `2026-11`. */
export function rangeOfMonth(value: string): Range | undefined {
  const [year = 0, month = 0] = value.split('-').map(Number)
  return year < 1970 ? undefined : monthRange(year, month - 1)
}

/** The last months, newest first: `2026-11`. */
export function lastMonths(now: number, count: number): string[] {
  const [year, month] = partsOf(now)
  return Array.from({ length: count }, (_, back) => monthOf(startOf(year, month - back, 1)))
}

export function isSameRange(range: OpenRange, other: OpenRange): boolean {
  return range.from === other.from && range.to === other.to
}

function startOf(year: number, month: number, day: number): number {
  return new Date(year, month, day).getTime()
}

function partsOf(time: number): [year: number, month: number, day: number] {
  const date = new Date(time)
  return [date.getFullYear(), date.getMonth(), date.getDate()]
}
