import type { RowAnswer } from '../../../web/answers.ts'
import { type At, counted } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { Acting } from '../../../web/kit/people.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { WaitingCard } from '../../../web/kit/waiting-card.tsx'

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
