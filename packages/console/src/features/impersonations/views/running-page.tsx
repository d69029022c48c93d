import type { RunningAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { SearchForm } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { PauseLine } from '../../../web/kit/paused.tsx'
import type { View } from '../../../web/pages/table.ts'
import { RunningTable } from './running-table.tsx'

/** With more rows than this, a part of them can be picked out. */
const ROWS_BEFORE_FILTER = 10
/** So many are shown on a page that shows more than that. */
const MAX_SHOWN = 10

/** All that runs. */
export const runningPage: View<RunningAnswer> = (model, at) => {
  const { asked, count, pauses, running } = model
  const labels = at.words.impersonations.running
  return {
    title: labels.title,
    about: labels.about,
    body: (
      <>
        {(count > ROWS_BEFORE_FILTER || asked !== undefined) && (
          <SearchForm value={asked} label={labels.filter} help={labels.filterHelp} />
        )}
        <Counted of={model} />
        {running.length > 0 && <RunningTable rows={running} pauses={pauses} />}
        {pauses.length > 0 && (
          <section>
            <h2>{at.words.permits.pause.title}</h2>
            {pauses.map((pause) => (
              <PauseLine key={pause.id} pause={pause} />
            ))}
          </section>
        )}
      </>
    ),
  }
}

/** Screen readers hear the number when it changes. */
function Counted({ of }: { of: RunningAnswer }, at: StaffAt) {
  const { asked, count, more, running } = of
  const labels = at.words.impersonations.running
  return (
    <p role="status" data-about="*" class={count === 0 ? 'empty' : undefined}>
      {count === 0
        ? labels.empty
        : asked !== undefined
          ? counted(at, labels.filtered, running.length)
          : more
            ? text(at, labels.more, { count })
            : counted(at, labels.counted, count)}
      {count === 0 && at.me.role !== 'auditor' && (
        <>
          {' '}
          <Link to="/customers">{labels.search}</Link>
        </>
      )}
    </p>
  )
}

/** Who acts now, on a page that shows more than that. */
export function RunningNow({ of }: { of: RunningAnswer }, at: StaffAt) {
  const { running, pauses } = of
  return (
    <section>
      <h2>{at.words.impersonations.running.title}</h2>
      <Counted of={of} />
      {running.length > 0 && <RunningTable rows={running.slice(0, MAX_SHOWN)} pauses={pauses} />}
      {running.length > MAX_SHOWN && (
        <p>
          <Link to="/running">{at.words.impersonations.operators.more}</Link>
        </p>
      )}
    </section>
  )
}
