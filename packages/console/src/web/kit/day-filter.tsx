import { dateOf, type OpenRange, type Range, rangeOfDate } from './dates.ts'
import { Field } from './field.tsx'
import { words } from './text.tsx'

const { filter } = words.impersonations.audit

/** The first day and the last one. */
export function DayFilter({
  range,
  onChange,
}: {
  range: OpenRange
  onChange: (range: OpenRange) => void
}) {
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
