import { outcomeOf } from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../../web/answers.ts'
import { Opens } from '../../../../web/kit/back.tsx'
import { Acting, actingOf } from '../../../../web/kit/in-words.tsx'
import { auditPath } from '../../../../web/kit/paths.ts'
import { Table, type TableColumn } from '../../../../web/kit/table.tsx'
import { words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { useTimeUntilExpiry } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { Marks, OutcomeBadge } from './outcome.tsx'

const { columns: heads } = words.impersonations.audit

/** Two names of ordinary length, in characters: they stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 36

/** The impersonations, one row each. */
export function ImpersonationRows({
  rows,
  session,
}: {
  rows: readonly RowAnswer[]
  session: Session
}) {
  const now = useTimeUntilExpiry(session, rows)
  const { me } = session
  // The server shows an operator the entries of what they did themselves.
  const mayOpen = (row: RowAnswer) => me.role !== 'operator' || row.operator?.id === me.id
  const columns: readonly TableColumn<RowAnswer>[] = [
    {
      name: heads.who,
      cell: (row) =>
        mayOpen(row) ? (
          <Opens to={auditPath(row.id)}>
            <WhoActs row={row} />
          </Opens>
        ) : (
          <WhoActs row={row} />
        ),
    },
    {
      name: heads.started,
      cell: ({ startedAt, at }) => <Time at={startedAt ?? at} form="recent" />,
    },
    {
      name: heads.ticket,
      cell: ({ ticket, ticketUrl }) => <Ticket of={ticket} url={ticketUrl} />,
    },
    { name: heads.reason, cell: ({ reason }) => reason && <bdi class="free">{reason}</bdi> },
    {
      name: heads.outcome,
      cell: (row) => <OutcomeBadge row={row} outcome={outcomeOf(row, now)} />,
    },
    number('reads', ({ reads }) => reads),
    number('changes', ({ changes }) => changes),
    number('refused', ({ refused, denied }) => refused + denied),
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

function number(
  as: 'changes' | 'reads' | 'refused',
  cell: (row: RowAnswer) => number,
): TableColumn<RowAnswer> {
  return { name: heads[as], numeric: true, cell }
}

function WhoActs({ row }: { row: RowAnswer }) {
  return (
    <span class={actingOf(row).length <= MAX_LENGTH_ON_ONE_LINE ? 'one-line' : undefined}>
      <Acting row={row} />
    </span>
  )
}
