import { dateOf, daysFrom, monthOf, type Range, rangeText } from '../when.ts'
import type { At } from './at.ts'
import { SelectField, TextField } from './form.tsx'
import { timeText } from './time.tsx'

const MONTHS_SHOWN = 24

/** Any time, today, a week, a month, or the days from one to another: see `WHEN`. */
export function WhenField({ range, isDays }: { range: Range; isDays?: boolean }, at: At) {
  const { from, to } = range
  const { now, words, zone } = at
  const { filter } = words.impersonations.audit
  const today = dateOf(zone, now)
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => monthOf(zone, now, back))
  const choices = new Map<string, string>([
    ['any', filter.anyTime],
    [rangeText(daysFrom(zone, today, 1)), filter.today],
    [rangeText(daysFrom(zone, today, 7, -6)), filter.lastDays],
    ...months.map((month) => [rangeText(month), timeText(at, month.from, 'month')] as const),
    ['days', filter.fromTo],
  ])
  const asked = isDays ? 'days' : rangeText(range).replace(/^-$/, 'any')
  // A part of time that is no choice is told to the minute.
  const moment = (time: number | undefined) => (time === undefined ? '' : timeText(at, time))
  if (!choices.has(asked)) choices.set(asked, `${moment(from)} – ${moment(to)}`)
  const day = (name: 'from' | 'to', time: number | undefined) => {
    const value = time === undefined ? '' : dateOf(zone, time)
    return <TextField type="date" of={{ id: `when-${name}`, name, value }} label={filter[name]} />
  }
  return (
    <>
      <SelectField
        of={{ id: 'when', name: 'when', value: asked }}
        label={filter.when}
        options={[...choices]}
      />
      {/* These are shown if the days from one to another are chosen. */}
      {day('from', from)}
      {day('to', to === undefined ? to : to - 1)}
    </>
  )
}
