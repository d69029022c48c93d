import { dateOf, daysFrom, monthOf, type Range } from '../when.ts'
import type { At } from './at.ts'
import { Field } from './form.tsx'

const MONTHS_SHOWN = 24

/** Any time, today, a week, a month, or the days from one to another: see `WHEN`. */
export function WhenField({ range, isDays }: { range: Range; isDays?: boolean }, at: At) {
  const { from, to } = range
  const { filter } = at.words.impersonations.audit
  const choices = [
    ['any', filter.anyTime],
    ...choicesAt(at).map(({ name, ...choice }) => [`${choice.from}-${choice.to}`, name]),
    ['days', filter.fromTo],
  ]
  const asked = from === undefined && to === undefined ? 'any' : `${from}-${to}`
  const isChoice = !isDays && choices.some(([value]) => value === asked)
  const dayOf = (time: number | undefined) => (time === undefined ? '' : dateOf(at.zone, time))
  return (
    <>
      <Field
        of={{ id: 'when', name: 'when', value: isChoice ? asked : 'days' }}
        label={filter.when}
      >
        {({ value: chosen, ...input }) => (
          <select {...input}>
            {choices.map(([value, name]) => (
              <option key={value} value={value} selected={value === chosen}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DayField name="from" label={filter.from} value={dayOf(from)} />
      <DayField name="to" label={filter.to} value={dayOf(to === undefined ? to : to - 1)} />
    </>
  )
}

function choicesAt({ locale, now, words, zone }: At) {
  const { filter } = words.impersonations.audit
  const today = dateOf(zone, now)
  const monthName = new Intl.DateTimeFormat(locale, {
    ...{ month: 'long', year: 'numeric', timeZone: zone },
  })
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => monthOf(zone, now, back))
  return [
    { name: filter.today, ...daysFrom(zone, today, 1) },
    { name: filter.lastDays, ...daysFrom(zone, today, 7, -6) },
    ...months.map((month) => ({ name: monthName.format(month.from), ...month })),
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
