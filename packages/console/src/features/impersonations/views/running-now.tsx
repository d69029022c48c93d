import type { RunningAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { RunningTable } from './running-table.tsx'

/** Who acts now. */
export function RunningNow(
  { of, isTitled }: { of: RunningAnswer; isTitled: boolean },
  at: StaffAt,
) {
  const { more, running } = of
  const count = running.length
  const labels = at.words.impersonations.running
  const told = more ? text(at, labels.more, { count }) : counted(at, labels.counted, count)
  return (
    <section>
      {isTitled && <h2>{labels.title}</h2>}
      {/* Screen readers hear the number when it changes. */}
      <p role="status" data-about="*" class={count === 0 ? 'empty' : undefined}>
        {count === 0 ? labels.empty : told}
      </p>
      {count > 0 && <RunningTable rows={running} />}
    </section>
  )
}
