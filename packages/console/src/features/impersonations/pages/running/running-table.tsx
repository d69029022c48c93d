import { useEffect, useRef } from 'preact/hooks'
import type { RunningImpersonation } from '../../../../web/answers.ts'
import { Actor } from '../../../../web/kit/actor.tsx'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Button } from '../../../../web/kit/button.tsx'
import { nameOf, operatorName } from '../../../../web/kit/names.ts'
import { outcomeText } from '../../../../web/kit/outcome.ts'
import { auditPath, customerPath } from '../../../../web/kit/paths.ts'
import { Person } from '../../../../web/kit/person.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { Table, type TableColumn } from '../../../../web/kit/table.tsx'
import { Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../../web/kit/unapproved.tsx'
import type { PauseAnswer } from '../../../../web/pause-answers.ts'
import type { Session } from '../../../../web/session/session.ts'
import { Countdown } from './countdown.tsx'
import { end as endOne } from './ending.ts'
import { OperatorActions, OperatorHead } from './operator-head.tsx'
import type { ShownRow } from './shown.ts'

/** What runs, oldest first: of each operator together, with whom it begins above. */
export function RunningTable(props: {
  session: Session
  label: string
  rows: readonly ShownRow[]
  pauses: readonly PauseAnswer[]
}) {
  const { session, label, rows, pauses } = props
  const columns = columnsFor(session)
  const groups = Map.groupBy(
    rows,
    ({ impersonation: { operator, software } }) => operator?.id ?? `${software} alone`,
  )
  return (
    <Table
      label={label}
      columns={columns}
      groups={[...groups].map(([key, own]) => {
        const pause = pauses.find(({ operator, customer }) => operator.id === key && !customer)
        return {
          key,
          head: <OperatorHead session={session} rows={own} pause={pause} />,
          actions: <OperatorActions session={session} rows={own} pause={pause} />,
          rows: own,
        }
      })}
      keyOf={({ impersonation }) => impersonation.id}
    />
  )
}

function columnsFor(session: Session): readonly TableColumn<ShownRow>[] {
  const { columns } = words.impersonations.running
  const mayEnd = session.me.role !== 'auditor'
  const end: TableColumn<ShownRow> = {
    name: columns.end,
    cell: (row) => <EndButton row={row} session={session} />,
  }
  return [
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
      cell: ({ impersonation: { ticket, ticketUrl } }) => <Ticket of={ticket} url={ticketUrl} />,
    },
    {
      name: columns.reason,
      cell: ({ impersonation: { reason } }) => <bdi class="free">{reason}</bdi>,
    },
    {
      name: columns.application,
      cell: ({ impersonation: it }) => (
        <span class="marks">
          <bdi>{it.application}</bdi>
          {it.software !== undefined && (
            <span class="soft">
              <Actor of={it} unknown={words.impersonations.running.unnamed} />
            </span>
          )}
        </span>
      ),
    },
    {
      name: columns.access,
      cell: ({ impersonation: { canChange, unapproved } }) => (
        <span class="marks">
          <Badge tone={canChange ? 'warning' : 'plain'}>
            {canChange ? words.impersonations.running.change : words.impersonations.running.look}
          </Badge>
          <UnapprovedMark of={unapproved} />
        </span>
      ),
    },
    {
      name: columns.latest,
      cell: ({ impersonation }) => <Latest of={impersonation} />,
    },
    {
      name: columns.started,
      cell: ({ impersonation: { startedAt } }) => <Time at={startedAt} form="ofDay" />,
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

/** The newest request, and the way to all that was done. */
function Latest({ of: { id, lastUse } }: { of: RunningImpersonation }) {
  const { running, events } = words.impersonations
  const request = events['impersonation.used']
  if (!lastUse) return <Link to={auditPath(id)}>{running.nothingYet}</Link>
  const { words: inWords, method, path = '', status = 0, isRefused } = lastUse
  return (
    <span class="latest">
      <Link to={auditPath(id)}>
        {inWords === undefined ? (
          <code class="request">
            <Text of={request.request} method={method ?? request.anyMethod} path={path} />
          </code>
        ) : (
          <bdi class="free">{inWords}</bdi>
        )}
      </Link>
      {isRefused ? (
        <Badge tone="warning">{request.refused}</Badge>
      ) : (
        status >= 400 && <Badge tone="warning">{text(request.answered, { status })}</Badge>
      )}
      <Time at={lastUse.at} form="ofDay" />
    </span>
  )
}

/** The button; after the end, a word in its place, which takes the focus that the button had. */
function EndButton({ row, session }: { row: ShownRow; session: Session }) {
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
