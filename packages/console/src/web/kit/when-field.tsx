import { dateOf, daysFrom, monthOf, type Range, rangeText } from '../when.ts'
import { type At, text } from './at.ts'
import { Field, SelectField } from './form.tsx'
import { timeText } from './time.tsx'

const MONTHS_SHOWN = 24

/** Any time, today, a week, a month, or the days from one to another: see `WHEN`. */
export function WhenField({ range, isDays }: { range: Range; isDays?: boolean }, at: At) {
  const { from, to } = range
  const { filter } = at.words.impersonations.audit
  const asked = isDays ? 'days' : rangeText(range).replace(/^-$/, 'any')
  const choices = [
    { value: 'any', label: filter.anyTime },
    ...choicesAt(at).map(({ label, ...choice }) => ({ value: rangeText(choice), label })),
    { value: 'days', label: filter.fromTo },
  ]
  const isKnown = choices.some(({ value }) => value === asked)
  const dayOf = (time: number | undefined) => (time === undefined ? '' : dateOf(at.zone, time))
  return (
    <>
      <SelectField
        of={{ id: 'when', name: 'when', value: asked }}
        label={filter.when}
        options={[
          ...choices,
          ...(isKnown ? [] : [{ value: asked, label: momentsText(range, at) }]),
        ]}
      />
      <DayField name="from" label={filter.from} value={dayOf(from)} />
      <DayField name="to" label={filter.to} value={dayOf(to === undefined ? to : to - 1)} />
    </>
  )
}

/** A part of time that is no choice, to the minute. */
function momentsText({ from, to }: Range, at: At): string {
  const { filter } = at.words.impersonations.audit
  if (to === undefined) return text(at, filter.fromChip, { from: timeText(at, from ?? 0) })
  if (from === undefined) return text(at, filter.toChip, { to: timeText(at, to) })
  return `${timeText(at, from)} – ${timeText(at, to)}`
}

function choicesAt({ locale, now, words, zone }: At) {
  const { filter } = words.impersonations.audit
  const today = dateOf(zone, now)
  const monthName = new Intl.DateTimeFormat(locale, {
    month: 'long',
    year: 'numeric',
    timeZone: zone,
  })
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => monthOf(zone, now, back))
  return [
    { label: filter.today, ...daysFrom(zone, today, 1) },
    { label: filter.lastDays, ...daysFrom(zone, today, 7, -6) },
    ...months.map((month) => ({ label: monthName.format(month.from), ...month })),
  ]
}

/** It is shown if the days from one to another are chosen. */
function DayField({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <Field of={{ id: `when-${name}`, name, value }} label={label}>
      {(input) => <input {...input} type="date" />}
    </Field>
  )
}
