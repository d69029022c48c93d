import { Link } from '../../../../web/kit/router.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { counted, words } from '../../../../web/kit/text.tsx'
import { ProblemMessage } from '../../../../web/session/load.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { useAnnouncement } from './announcement.ts'
import { useLatest } from './latest.ts'
import { liveOf, useRunning } from './live.ts'
import { usePauses } from './pauses.tsx'
import { RunningTable } from './running-table.tsx'
import { useShown } from './shown.ts'

/** So many are shown: the page of what runs has all. */
const MAX_SHOWN = 10

const { running } = words.impersonations

/** Who acts now, for a page that shows more than that. */
export function RunningNow({ session }: { session: Session }) {
  const live = useRunning(session)
  const { rows, holding } = useShown(session, live)
  const announcement = useAnnouncement(live)
  const pauses = usePauses(session)
  useLatest(session, live)
  const count = live.running?.length ?? 0
  return (
    <section>
      <div class="section-head">
        <h2>{running.title}</h2>
        {count > MAX_SHOWN && <Link to="/running">{counted(running.counted, count)}</Link>}
      </div>
      <p role="status" class="unseen">
        {announcement}
      </p>
      {live.error !== undefined && (
        <ProblemMessage error={live.error} again={() => liveOf(session).reload()} />
      )}
      {!live.running && live.error === undefined && <Skeleton label={running.loading} lines={2} />}
      {live.running && rows.length === 0 && <p class="soft">{running.empty}</p>}
      {rows.length > 0 && (
        <div {...holding}>
          <RunningTable
            session={session}
            label={running.title}
            rows={rows.slice(0, MAX_SHOWN)}
            pauses={pauses}
          />
        </div>
      )}
    </section>
  )
}
