import { useEffect, useRef } from 'preact/hooks'
import type { RunningImpersonation } from '../../api/console/answers.ts'
import { Actor } from '../kit/actor.tsx'
import { AfterRefusal } from '../kit/after-refusal.tsx'
import { Badge, Button, type Column, Person, Table } from '../kit/kit.tsx'
import { outcomeText } from '../kit/outcome.ts'
import { customerPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { text, words } from '../kit/text.tsx'
import type { Session } from '../session/session.ts'
import { Countdown, TimeOfDay } from './countdown.tsx'
import { end as endOne } from './ending.ts'
import { nameOf, operatorName } from './names.ts'
import type { ShownRow } from './shown.ts'
import { Ticket } from './ticket.tsx'

/** Rows of what runs, oldest first. */
export function RunningTable(props: {
  session: Session
  label: string
  rows: readonly ShownRow[]
  /** Whether the rows are of several operators. */
  hasOperator: boolean
}) {
  const { session, label, rows, hasOperator } = props
  return (
    <Table
      label={label}
      columns={columnsFor(session, hasOperator)}
      rows={rows}
      keyOf={({ impersonation }) => impersonation.id}
    />
  )
}

function columnsFor(session: Session, hasOperator: boolean): readonly Column<ShownRow>[] {
  const { columns } = words.impersonations.running
  const operator: Column<ShownRow> = {
    name: columns.operator,
    cell: ({ impersonation: it }) => (
      <>
        <Actor of={it} unknown={words.impersonations.running.unnamed} />
        {it.isMine && <Badge>{words.impersonations.running.you}</Badge>}
      </>
    ),
  }
  const mayEnd = session.me.role !== 'auditor'
  const end: Column<ShownRow> = {
    name: columns.end,
    cell: (row) => <End row={row} session={session} />,
  }
  return [
    ...(hasOperator ? [operator] : []),
    {
      name: columns.customer,
      cell: ({ impersonation: { customer } }) =>
        session.me.role === 'auditor' ? (
          <Person {...customer} />
        ) : (
          <Link to={customerPath(customer.id)}>
            <Person {...customer} />
          </Link>
        ),
    },
    {
      name: columns.ticket,
      cell: ({ impersonation: { ticket, ticketUrl, reason } }) => (
        <Ticket of={ticket} url={ticketUrl} title={reason} />
      ),
    },
    {
      name: columns.application,
      cell: ({ impersonation: { application } }) => <bdi>{application}</bdi>,
    },
    {
      name: columns.access,
      cell: ({ impersonation: { canChange, isAfterRefusal } }) => (
        <span class="marks">
          <Badge tone={canChange ? 'warning' : 'plain'}>
            {canChange ? words.impersonations.running.change : words.impersonations.running.look}
          </Badge>
          {isAfterRefusal && <AfterRefusal />}
        </span>
      ),
    },
    {
      name: columns.started,
      cell: ({ impersonation: { startedAt } }) => <TimeOfDay at={startedAt} />,
    },
    {
      name: columns.left,
      numeric: true,
      cell: (row) =>
        row.over ? (
          mayEnd || overText(row)
        ) : (
          <Countdown session={session} until={row.impersonation.expiresAt} />
        ),
    },
    ...(mayEnd ? [end] : []),
  ]
}

/** The button; after the end, a word in its place, which takes the focus that the button had. */
function End({ row, session }: { row: ShownRow; session: Session }) {
  const { impersonation: it, over } = row
  const slot = useRef<HTMLSpanElement>(null)
  const hadFocus = useRef(false)
  useEffect(() => {
    if (over && hadFocus.current) slot.current?.querySelector<HTMLElement>('b')?.focus()
  }, [over])
  return (
    <span
      ref={slot}
      onFocusIn={() => {
        hadFocus.current = true
      }}
      onFocusOut={({ relatedTarget }) => {
        // A button that is removed loses the focus to nothing.
        if (relatedTarget) hadFocus.current = false
      }}
    >
      {over ? (
        <b tabIndex={-1}>{overText(row)}</b>
      ) : (
        it.canEnd && (
          <Button kind="danger" label={endLabel(it)} onPress={() => endOne(session, it)}>
            {words.impersonations.running.end}
          </Button>
        )
      )}
    </span>
  )
}

export function endLabel(it: RunningImpersonation): string {
  const customer = nameOf(it.customer)
  return it.isMine
    ? text(words.impersonations.running.endMine, { customer })
    : text(words.impersonations.running.endOf, { operator: operatorName(it), customer })
}

function overText({ over, impersonation: { operator } }: ShownRow): string {
  return over?.outcome
    ? outcomeText({ end: over.end, operator }, over.outcome)
    : words.impersonations.running.over
}
