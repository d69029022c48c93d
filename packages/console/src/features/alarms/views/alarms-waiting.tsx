import type { RowAnswer } from '../../../web/answers.ts'
import { type At, counted } from '../../../web/view/at.ts'
import { Link } from '../../../web/view/link.tsx'
import { auditPath } from '../../../web/view/paths.ts'
import { Acting } from '../../../web/view/people.tsx'
import { Time } from '../../../web/view/time.tsx'
import { WaitingCard } from '../../../web/view/waiting-card.tsx'

/** The open alarms, where they are one of several things that wait. */
export function AlarmsWaiting({ of }: { of: readonly RowAnswer[] }, at: At) {
  const { alarms } = at.words
  return (
    <WaitingCard heading={counted(at, alarms.toLookAt, of.length)} to="/alarms" items={of}>
      {(row) => (
        <>
          <Link to={auditPath(row.id)}>
            <Acting row={row} />
          </Link>
          {' · '}
          {row.alarm?.kinds.map((kind) => alarms.short[kind]).join(', ')}
          {' · '}
          <Time at={row.alarm?.at ?? row.at} form="recent" />
        </>
      )}
    </WaitingCard>
  )
}
