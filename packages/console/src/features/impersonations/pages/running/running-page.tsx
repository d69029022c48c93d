import { useState } from 'preact/hooks'
import type { RunningImpersonation } from '../../../../web/answers.ts'
import { Field } from '../../../../web/kit/field.tsx'
import { Page } from '../../../../web/kit/page.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { counted, words } from '../../../../web/kit/text.tsx'
import { ProblemMessage } from '../../../../web/session/load.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { useAnnouncement } from './announcement.ts'
import { useLatest } from './latest.ts'
import { liveOf, useRunning } from './live.ts'
import { PauseLine, usePauses } from './pauses.tsx'
import { RunningTable } from './running-table.tsx'
import { useShown } from './shown.ts'

/** With more rows than this, a part of them can be picked out. */
const ROWS_BEFORE_FILTER = 10

/** `/running`: leads and auditors see all that runs. */
export function RunningPage({ session }: PageProps) {
  const { running } = words.impersonations
  const live = useRunning(session)
  const { rows, holding } = useShown(session, live)
  const announcement = useAnnouncement(live)
  const pauses = usePauses(session)
  useLatest(session, live)
  const [wanted, setWanted] = useState('')
  const { role } = session.me
  const count = live.running?.length ?? 0
  const fitting = rows.filter(({ impersonation }) => fitsSearch(impersonation, wanted))
  const isLong = rows.length > ROWS_BEFORE_FILTER || wanted !== ''
  return (
    <Page title={running.title} about={running.about}>
      <p role="status" class="unseen">
        {announcement}
      </p>
      {live.error !== undefined && (
        <>
          <ProblemMessage error={live.error} again={() => liveOf(session).reload()} />
          {live.running && <p class="hint">{running.old}</p>}
        </>
      )}
      {!live.running && live.error === undefined && <Skeleton label={running.loading} lines={4} />}
      {live.running && count === 0 && (
        <p class="empty">
          {running.empty} {role !== 'auditor' && <Link to="/customers">{running.search}</Link>}
        </p>
      )}
      {rows.length > 0 && (
        <>
          <div class="toolbar">
            {count > 0 && (
              <p>
                {live.more
                  ? counted({ one: running.more, other: running.more }, count)
                  : counted(running.counted, count)}
              </p>
            )}
            {isLong && (
              <Field id="wanted" label={running.filter} help={running.filterHelp}>
                {(props) => (
                  <input
                    {...props}
                    type="search"
                    dir="auto"
                    autoComplete="off"
                    value={wanted}
                    onInput={(event) => setWanted(event.currentTarget.value)}
                  />
                )}
              </Field>
            )}
          </div>
          {wanted !== '' && <p role="status">{counted(running.filtered, fitting.length)}</p>}
          <div {...holding}>
            <RunningTable session={session} label={running.title} rows={fitting} pauses={pauses} />
          </div>
        </>
      )}
      {pauses.some(({ isMine }) => !isMine) && (
        <section>
          <h2>{words.permits.pause.title}</h2>
          {pauses.map((pause) => !pause.isMine && <PauseLine key={pause.id} pause={pause} />)}
        </section>
      )}
    </Page>
  )
}

/** Whether each word of the text is in what the row shows. */
function fitsSearch(it: RunningImpersonation, wanted: string): boolean {
  const { operator, customer, ticket, application, reason } = it
  const texts = [operator, customer].flatMap((person) => [person?.id, person?.name, person?.email])
  const all = [...texts, ticket, application, reason].join('\n').toLocaleLowerCase()
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
