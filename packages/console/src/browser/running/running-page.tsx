import { useState } from 'preact/hooks'
import type { RunningImpersonation } from '../../api/console/answers.ts'
import { Field, Page, Skeleton } from '../kit/kit.tsx'
import { Link } from '../kit/router.tsx'
import { counted, words } from '../kit/text.tsx'
import { Problem } from '../session/load.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { useAnnouncement } from './announcement.ts'
import { ByOperator } from './by-operator.tsx'
import { liveOf, useLive } from './live.ts'
import { RunningTable } from './running-table.tsx'
import { useShown } from './shown.ts'

/** With more rows than this, a part of them can be picked out. */
const ROWS_BEFORE_FILTER = 10

/** `/running`: an operator sees their own, leads and auditors see all. */
export function RunningPage({ session }: PageProps) {
  const { running } = words.impersonations
  const live = useLive(session)
  const { rows, holding } = useShown(session, live)
  const announcement = useAnnouncement(live)
  const [wanted, setWanted] = useState('')
  const [isGrouped, setGrouped] = useState(false)
  const { role } = session.me
  const kind = role === 'operator' ? 'operator' : 'all'
  const fitting = rows.filter(({ impersonation }) => fits(impersonation, wanted))
  const isLong = rows.length > ROWS_BEFORE_FILTER || wanted !== ''
  return (
    <Page title={running.title} about={running.about[kind]}>
      <p role="status" class="unseen">
        {announcement}
      </p>
      {live.error !== undefined && (
        <>
          <Problem error={live.error} again={() => liveOf(session).reload()} />
          {live.running && <p class="hint">{running.old}</p>}
        </>
      )}
      {!live.running && live.error === undefined && <Skeleton label={running.loading} lines={4} />}
      {live.running && rows.length === 0 && (
        <p class="empty">
          {running.empty[kind]} {role !== 'auditor' && <Link to="/">{running.search}</Link>}
        </p>
      )}
      {rows.length > 0 && (
        <>
          <div class="toolbar">
            <p>
              {live.more
                ? counted({ one: running.more, other: running.more }, live.running?.length ?? 0)
                : counted(running.counted, live.running?.length ?? 0)}
            </p>
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
            {kind === 'all' && (
              <label class="choice">
                <input
                  type="checkbox"
                  checked={isGrouped}
                  onChange={(event) => setGrouped(event.currentTarget.checked)}
                />
                {running.group}
              </label>
            )}
          </div>
          {wanted !== '' && <p role="status">{counted(running.filtered, fitting.length)}</p>}
          <div {...holding}>
            {isGrouped ? (
              <ByOperator session={session} rows={fitting} />
            ) : (
              <RunningTable
                session={session}
                label={running.title}
                rows={fitting}
                hasOperator={kind === 'all'}
              />
            )}
          </div>
        </>
      )}
    </Page>
  )
}

/** Whether each word of the text is in what the row shows. */
function fits(it: RunningImpersonation, wanted: string): boolean {
  const { operator, customer, ticket, application, reason } = it
  const texts = [operator, customer].flatMap((person) => [person?.id, person?.name, person?.email])
  const all = [...texts, ticket, application, reason].join('\n').toLocaleLowerCase()
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
