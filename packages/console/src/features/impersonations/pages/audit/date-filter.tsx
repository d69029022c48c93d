import {
  dateOf,
  isSameRange,
  lastDays,
  lastMonths,
  monthOf,
  type OpenRange,
  rangeOfDate,
  rangeOfMonth,
  yesterday,
} from '../../../../web/kit/dates.ts'
import { DayFilter } from '../../../../web/kit/day-filter.tsx'
import { Field } from '../../../../web/kit/field.tsx'
import { locale, words } from '../../../../web/kit/text.tsx'

const MONTHS_SHOWN = 36
const { filter } = words.impersonations.audit

const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const rangeName = (month: string) => monthName.format(rangeOfMonth(month)?.from)

/** A day or a week that is near, a month, or any days by the calendar of the browser. */
export function DateFilter({
  range,
  now,
  onChange,
}: {
  range: OpenRange
  /** In milliseconds since the epoch. */
  now: number
  onChange: (range: OpenRange) => void
}) {
  const presets = [
    [filter.today, lastDays(now, 1)],
    [filter.yesterday, yesterday(now)],
    [filter.lastDays, lastDays(now, 7)],
  ] as const
  const month = monthWith(range)
  const months = lastMonths(now, MONTHS_SHOWN)
  return (
    <fieldset class="dates">
      <legend class="unseen">{filter.when}</legend>
      <div class="presets">
        {presets.map(([name, preset]) => (
          <RangeChoice
            key={name}
            isChosen={isSameRange(preset, range)}
            onPress={() => onChange(preset)}
          >
            {name}
          </RangeChoice>
        ))}
      </div>
      <Field id="filter-month" label={filter.month}>
        {(input) => (
          <select
            {...input}
            value={month ?? ''}
            onChange={({ currentTarget }) => onChange(rangeOfMonth(currentTarget.value) ?? {})}
          >
            <option value="">{filter.anyMonth}</option>
            {(month && !months.includes(month) ? [...months, month] : months).map((month) => (
              <option key={month} value={month}>
                {rangeName(month)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DayFilter range={range} onChange={onChange} />
    </fieldset>
  )
}

/** A button that shows whether its choice is in force. */
function RangeChoice(props: { isChosen: boolean; onPress: () => void; children: string }) {
  return (
    <button
      type="button"
      class="button quiet toggle"
      aria-pressed={props.isChosen}
      onClick={props.onPress}
    >
      {props.children}
    </button>
  )
}

/** The month that the range is, or that its one day is in. */
function monthWith({ from, to }: OpenRange): string | undefined {
  if (from === undefined || to === undefined) return undefined
  const month = monthOf(from)
  const isDay = isSameRange({ from, to }, rangeOfDate(dateOf(from)) ?? {})
  return isDay || isSameRange({ from, to }, rangeOfMonth(month) ?? {}) ? month : undefined
}
