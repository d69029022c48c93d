import { useEffect, useState } from 'preact/hooks'
import { Opens } from '../../../web/kit/back.tsx'
import { Acting } from '../../../web/kit/in-words.tsx'
import { auditPath } from '../../../web/kit/paths.ts'
import { counted, words } from '../../../web/kit/text.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { WaitingCard } from '../../../web/kit/waiting-card.tsx'
import type { Session } from '../../../web/session/session.ts'
import { AlarmWatch } from './alarm-watch.ts'

/** The open alarms. */
export function AlarmsWaiting({ session }: { session: Session }) {
  const watch = AlarmWatch.of(session)
  const [, redraw] = useState({})
  useEffect(() => watch.listen(() => redraw({})), [watch])
  const { rows } = watch
  if (rows.length === 0) return null
  const heading = counted(words.alarms.toLookAt, rows.length)
  return (
    <WaitingCard heading={heading} to="/alarms" items={rows} keyOf={({ id }) => id}>
      {(row) => (
        <>
          <Opens to={auditPath(row.id)}>
            <Acting row={row} />
          </Opens>
          {' · '}
          {row.alarm?.kinds.map((kind) => words.alarms.short[kind]).join(', ')}
          {' · '}
          <Time at={row.alarm?.at ?? row.at} form="recent" />
        </>
      )}
    </WaitingCard>
  )
}
