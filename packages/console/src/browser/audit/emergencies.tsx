import type { EmergenciesAnswer } from '../../api/permits/answers.ts'
import { locale, text, words } from '../kit/text.tsx'
import { useLoad } from '../session/load.tsx'
import type { Session } from '../session/session.ts'

const { emergencies: labels } = words.permits
const monthName = new Intl.DateTimeFormat(locale, { month: 'long' })

/** How many starts of this month, and of the last one, were without an approval. */
export function Emergencies({ session, now }: { session: Session; now: number }) {
  const date = new Date(now)
  const beginOf = (back: number) =>
    new Date(date.getFullYear(), date.getMonth() - back, 1).getTime()
  const months = [
    { from: beginOf(0), to: beginOf(-1) },
    { from: beginOf(1), to: beginOf(0) },
  ]
  const loaded = useLoad(
    (signal) =>
      Promise.all(
        months.map(async ({ from, to }) => {
          const query = new URLSearchParams({ from: String(from), to: String(to) })
          const path = `/audit/emergencies?${query}`
          return { from, ...(await session.ask<EmergenciesAnswer>(path, { signal })) }
        }),
      ),
    [beginOf(0)],
  )
  return (
    <p class="note">
      {loaded.value
        ?.map(({ from, emergencies, starts, isMore }) =>
          text(isMore ? labels.ofMore : labels.of, {
            month: monthName.format(from),
            emergencies,
            starts,
          }),
        )
        .join(' · ')}
    </p>
  )
}
