import { outcomeOf } from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../api/console/answers.ts'
import { type Column, Table } from '../kit/kit.tsx'
import { auditPath } from '../kit/paths.ts'
import { locale, words } from '../kit/text.tsx'
import { Ticket } from '../running/ticket.tsx'
import { useTimeUntilExpiry } from '../session/clock.ts'
import type { Session } from '../session/session.ts'
import { Opens } from './back.tsx'
import { Acting, actingOf, utcOf } from './in-words.tsx'
import { Marks, OutcomeBadge } from './outcome.tsx'

const { columns: heads } = words.impersonations.audit

/** Two names of ordinary length, in characters: they stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 36

/** The impersonations, one row each. */
export function Rows({
  rows,
  session,
  ids,
}: {
  rows: readonly RowAnswer[]
  session: Session
  /** Whether the ids of people are shown beside their names. */
  ids: boolean
}) {
  const now = useTimeUntilExpiry(session, rows)
  const { me } = session
  // The server shows an operator the entries of what they did themselves.
  const mayOpen = (row: RowAnswer) => me.role !== 'operator' || row.operator?.id === me.id
  const columns: readonly Column<RowAnswer>[] = [
    {
      name: heads.who,
      cell: (row) =>
        mayOpen(row) ? (
          <Opens to={auditPath(row.id)}>
            <Who row={row} ids={ids} />
          </Opens>
        ) : (
          <Who row={row} ids={ids} />
        ),
    },
    { name: heads.started, cell: ({ startedAt, at }) => <Started at={startedAt ?? at} /> },
    {
      name: heads.ticket,
      cell: ({ ticket, ticketUrl }) => <Ticket of={ticket} url={ticketUrl} />,
    },
    { name: heads.reason, cell: ({ reason }) => reason && <bdi class="free">{reason}</bdi> },
    {
      name: heads.outcome,
      cell: (row) => <OutcomeBadge row={row} outcome={outcomeOf(row, now)} />,
    },
    { name: heads.reads, numeric: true, cell: ({ reads }) => reads },
    { name: heads.changes, numeric: true, cell: ({ changes }) => changes },
    { name: heads.refused, numeric: true, cell: ({ refused, denied }) => refused + denied },
    { name: heads.alarms, cell: (row) => <Marks row={row} /> },
  ]
  return (
    <Table
      label={words.impersonations.audit.list}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
    />
  )
}

function Who({ row, ids }: { row: RowAnswer; ids: boolean }) {
  return (
    <span class={!ids && actingOf(row).length <= MAX_LENGTH_ON_ONE_LINE ? 'one-line' : undefined}>
      <Acting row={row} ids={ids} />
    </span>
  )
}

const thisYear = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const otherYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** Without the year, where it is this one: rows keep to one line. UTC on hover. */
function Started({ at }: { at: number }) {
  const date = new Date(at)
  const format = date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear
  return (
    <time dateTime={date.toISOString()} title={utcOf(at)}>
      {format.format(date)}
    </time>
  )
}
