import { useState } from 'preact/hooks'
import {
  dateOf,
  isSameRange,
  lastDays,
  lastMonths,
  type OpenRange,
  type Range,
  rangeOfDate,
  rangeOfMonth,
} from './dates.ts'
import { Field } from './field.tsx'
import { locale, words } from './text.tsx'

const MONTHS_SHOWN = 24
/** The choice of a first and a last day. */
const FROM_TO = 'from-to'

const { filter } = words.impersonations.audit
const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })

interface WhenChoice {
  readonly value: string
  readonly name: string
  readonly range: OpenRange
}

/** Any time, today, a week, a month, or the days from one to another. */
export function WhenFilter(props: {
  range: OpenRange
  /** In milliseconds since the epoch. */
  now: number
  onChange: (range: OpenRange) => void
}) {
  const { range, now, onChange } = props
  const choices = choicesAt(now)
  const known = choices.find((each) => isSameRange(each.range, range))
  const [isFromTo, setFromTo] = useState(false)
  const chosen = isFromTo || !known ? FROM_TO : known.value
  const choose = (value: string) => {
    setFromTo(value === FROM_TO)
    const choice = choices.find((each) => each.value === value)
    if (choice) onChange(choice.range)
  }
  return (
    <>
      <Field id="filter-when" label={filter.when}>
        {(input) => (
          <select
            {...input}
            value={chosen}
            onChange={({ currentTarget: { value } }) => choose(value)}
          >
            {choices.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
            <option value={FROM_TO}>{filter.fromTo}</option>
          </select>
        )}
      </Field>
      {chosen === FROM_TO && <FromTo range={range} onChange={onChange} />}
    </>
  )
}

function choicesAt(now: number): readonly WhenChoice[] {
  return [
    { value: '', name: filter.anyTime, range: {} },
    { value: 'today', name: filter.today, range: lastDays(now, 1) },
    { value: 'week', name: filter.lastDays, range: lastDays(now, 7) },
    ...lastMonths(now, MONTHS_SHOWN).map((month) => {
      const range = rangeOfMonth(month)
      return { value: month, name: monthName.format(range?.from), range: range ?? {} }
    }),
  ]
}

/** The first day and the last one. */
function FromTo({ range, onChange }: { range: OpenRange; onChange: (range: OpenRange) => void }) {
  const change = (part: OpenRange) => {
    const { from, to } = { ...range, ...part }
    // The other end goes where it would leave nothing between.
    const isEmpty = from !== undefined && to !== undefined && from >= to
    onChange(isEmpty ? part : { ...range, ...part })
  }
  return (
    <>
      <DateInput
        id="filter-from"
        label={filter.from}
        value={range.from === undefined ? '' : dateOf(range.from)}
        onChange={(day) => change({ from: day?.from })}
      />
      <DateInput
        id="filter-to"
        label={filter.to}
        value={range.to === undefined ? '' : dateOf(range.to - 1)}
        onChange={(day) => change({ to: day?.to })}
      />
    </>
  )
}

function DateInput(props: {
  id: string
  label: string
  value: string
  onChange: (day: Range | undefined) => void
}) {
  const { id, label, value, onChange } = props
  return (
    <Field id={id} label={label}>
      {(input) => (
        <input
          {...input}
          type="date"
          value={value}
          onChange={({ currentTarget }) => {
            const day = rangeOfDate(currentTarget.value)
            if (day || currentTarget.value === '') onChange(day)
          }}
        />
      )}
    </Field>
  )
}
