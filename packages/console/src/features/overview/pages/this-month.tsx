import { monthOf, rangeOfMonth } from '../../../web/kit/dates.ts'
import { auditRangePath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { counted, locale, Text, text, words } from '../../../web/kit/text.tsx'
import { useLive } from '../../../web/session/live.ts'
import { Loaded } from '../../../web/session/load.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { OverviewAnswer } from '../server/answers.ts'

const { month: labels } = words.overview
const monthName = new Intl.DateTimeFormat(locale, { month: 'long' })

/** One line about this month: each count leads to its rows. */
export function ThisMonth({ session }: { session: Session }) {
  const range = rangeOfMonth(monthOf(Date.now() + session.clockOffset)) ?? { from: 0, to: 0 }
  const { from, to } = range
  const loaded = useLive<OverviewAnswer>(session, `/overview?from=${from}&to=${to}`, {
    concerns: ({ isOfRunning }) => isOfRunning,
    whileSeen: true,
  })
  return (
    <Loaded of={loaded} label={labels.loading} lines={1}>
      {(answer) => {
        const linkOf = (name: keyof OverviewAnswer, condition: Record<string, string> = {}) => {
          const { count, more } = answer[name]
          const label = more ? text(labels[name].more, { count }) : counted(labels[name], count)
          return <Link to={auditRangePath(range, condition)}>{label}</Link>
        }
        return (
          <p>
            <Text
              of={labels.line}
              month={monthName.format(from)}
              impersonations={linkOf('impersonations')}
              unapproved={linkOf('unapproved', { unapproved: 'true' })}
              objections={linkOf('objections', { alarm: 'objection' })}
            />
          </p>
        )
      }}
    </Loaded>
  )
}
