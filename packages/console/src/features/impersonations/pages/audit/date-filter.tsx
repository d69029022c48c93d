import { useRef } from 'preact/hooks'
import {
  dateOf,
  daysOf,
  isSameRange,
  lastDays,
  lastMonths,
  monthOf,
  type OpenRange,
  type Range,
  rangeOfDate,
  rangeOfMonth,
  yesterday,
} from '../../../../web/kit/dates.ts'
import { Field } from '../../../../web/kit/field.tsx'
import { locale, text, words } from '../../../../web/kit/text.tsx'

const MONTHS_SHOWN = 36
const { filter } = words.impersonations.audit

const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const dayName = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const rangeName = (month: string) => monthName.format(rangeOfMonth(month)?.from)

/** Any date within three clicks: the list of months, a month, a day of it. */
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
      {month && <Days month={month} range={range} onChange={onChange} />}
    </fieldset>
  )
}

/** The days of the month. One tab stop: the arrow keys go on. */
function Days({
  month,
  range,
  onChange,
}: {
  month: string
  range: OpenRange
  onChange: (range: Range) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const days = daysOf(month)
  const chosen = days.findIndex((day) => isSameRange(day, range))
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -7,
      ArrowDown: 7,
    }
    const step = steps[event.key]
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = buttons.findIndex((button) => button.matches(':focus'))
    if (step === undefined || at === -1) return
    event.preventDefault()
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus()
  }
  return (
    <div
      ref={list}
      class="days"
      role="toolbar"
      aria-label={text(filter.days, { month: rangeName(month) })}
      onKeyDown={move}
    >
      {days.map((day, index) => (
        <button
          key={day.from}
          type="button"
          class="day"
          tabIndex={index === Math.max(0, chosen) ? 0 : -1}
          aria-pressed={index === chosen}
          aria-label={dayName.format(day.from)}
          onClick={() => onChange(day)}
        >
          <small>{weekday.format(day.from)}</small>
          {index + 1}
        </button>
      ))}
    </div>
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
