import { auditDayPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { Table, type TableColumn } from '../../../web/kit/table.tsx'
import { counted, locale, text, words } from '../../../web/kit/text.tsx'

/** A part of each bar. */
export interface Series<D> {
  readonly label: string
  readonly tone: 'alarm' | 'good' | 'plain' | 'soft' | 'warning'
  readonly of: (day: D) => number
}

interface Dated {
  /** When it begins in UTC, in milliseconds since the epoch. */
  readonly day: number
}

/** In the units of the picture, which is as wide as the page lets it be. */
const [BAR, STEP, HEIGHT] = [8, 10, 100]
/** At the left of the bars: so many numbers, with the one at the top. */
const MARKS = 2

const { chart } = words.overview
const dates = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const numbers = new Intl.NumberFormat(locale)

/** Bars by day, the oldest at the left, with a table of the same numbers. */
export function DayChart<D extends Dated>(props: {
  title: string
  days: readonly D[]
  series: readonly Series<D>[]
}) {
  const { title, days, series } = props
  const totals = days.map((each) => series.reduce((sum, { of }) => sum + of(each), 0))
  const busy = days.filter((_, index) => totals[index] !== 0)
  const top = topOf(Math.max(...totals))
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="legend">
          {series.map(({ label, tone, of }) => (
            <li key={label}>
              <span class={`swatch ${tone}`} /> {label}{' '}
              <b>{numbers.format(days.reduce((sum, each) => sum + of(each), 0))}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot">
        <ol class="marks" aria-hidden="true">
          {Array.from({ length: MARKS + 1 }, (_, index) => (
            <li key={index}>{numbers.format((top / MARKS) * (MARKS - index))}</li>
          ))}
        </ol>
        <svg
          viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describeChart(title, days, totals)}
        >
          {Array.from({ length: MARKS + 1 }, (_, index) => {
            const y = (HEIGHT / MARKS) * index
            return <line key={index} x2={days.length * STEP} y1={y} y2={y} />
          })}
          {days.map((each, index) => (
            <g key={each.day}>
              <title>{describeDay(each, series)}</title>
              <rect class="day" x={index * STEP} width={STEP} height={HEIGHT} />
              {bars(each, series, HEIGHT / top).map(({ tone, y, height }) => (
                <rect
                  key={tone}
                  class={tone}
                  x={index * STEP + (STEP - BAR) / 2}
                  width={BAR}
                  {...{ y, height }}
                />
              ))}
            </g>
          ))}
        </svg>
        <ol class="dates" aria-hidden="true">
          {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map(
            (each) => each && <li key={each.day}>{dates.format(each.day)}</li>,
          )}
        </ol>
      </div>
      {busy.length > 0 && (
        <details>
          <summary>
            {chart.table}
            <span class="unseen">: {title}</span>
          </summary>
          <p class="note">{chart.onlySome}</p>
          <Table
            label={title}
            columns={columnsOf(series)}
            rows={busy.toReversed()}
            keyOf={({ day }) => `${title}-${day}`}
          />
        </details>
      )}
    </figure>
  )
}

/** From below: what stands on what. */
function bars<D>(day: D, series: readonly Series<D>[], unit: number) {
  let y = HEIGHT
  return series.flatMap(({ tone, of }) => {
    const height = of(day) * unit
    y -= height
    return height === 0 ? [] : { tone, y, height }
  })
}

/** The number at the top: a round one, and even, so that the one in the middle is whole. */
function topOf(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  const round = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].map((times) => Math.round(times * unit))
  return round.find((top) => top >= most && top % MARKS === 0) ?? 10 * unit
}

function describeChart(title: string, days: readonly Dated[], totals: readonly number[]): string {
  const most = Math.max(...totals)
  const total = totals.reduce((sum, each) => sum + each, 0)
  const date = dates.format(days[totals.indexOf(most)]?.day)
  return total === 0
    ? text(chart.none, { title })
    : counted(chart.summary, total, { title, most, date })
}

function describeDay<D extends Dated>(each: D, series: readonly Series<D>[]): string {
  const parts = series.flatMap(({ label, of }) => {
    const count = of(each)
    return count === 0 ? [] : `${label}: ${numbers.format(count)}`
  })
  return [dates.format(each.day), ...parts].join('\n')
}

function columnsOf<D extends Dated>(series: readonly Series<D>[]): readonly TableColumn<D>[] {
  return [
    {
      name: chart.day,
      cell: ({ day }) => <Link to={auditDayPath(day)}>{dates.format(day)}</Link>,
    },
    ...series.map(({ label, of }) => ({
      name: label,
      numeric: true,
      cell: (day: D) => numbers.format(of(day)),
    })),
  ]
}
