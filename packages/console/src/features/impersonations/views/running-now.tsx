import type { RunningAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { SearchForm } from '../../../web/kit/form.tsx'
import { RunningTable } from './running-table.tsx'

/** With more rows than this, a part of them can be picked out. */
const ROWS_BEFORE_FILTER = 10

/** Who acts now. */
export function RunningNow(
  { of, isTitled }: { of: RunningAnswer; isTitled: boolean },
  at: StaffAt,
) {
  const { asked, count, running } = of
  const labels = at.words.impersonations.running
  return (
    <section>
      {isTitled && <h2>{labels.title}</h2>}
      {(count > ROWS_BEFORE_FILTER || asked !== undefined) && (
        <SearchForm value={asked} label={labels.filter} help={labels.filterHelp} />
      )}
      <Counted of={of} />
      {running.length > 0 && <RunningTable rows={running} />}
    </section>
  )
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
    </p>
  )
}
