import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../../../web/answers.ts'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath, customerPath } from '../../../web/kit/paths.ts'
import { Actor, actorName, personName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Countdown, Time } from '../../../web/kit/time.tsx'
import { EndButton } from './end.tsx'
import { AccessMarks } from './running-line.tsx'

/** What runs, oldest first: of each operator together, with what a lead can do above. */
export function RunningTable({ rows }: { rows: readonly RunningImpersonation[] }, at: StaffAt) {
  const { columns, title } = at.words.impersonations.running
  const mayAct = at.me.role !== 'auditor'
  const groups = Map.groupBy(rows, ({ operator, software }) => operator?.id ?? `${software} alone`)
  return (
    <Table
      label={title}
      keyOf={({ id }) => id}
      groups={[...groups].map(([key, [first, ...others]]) => ({
        key,
        head: first && <OperatorHead of={first} />,
        actions: <OperatorActions of={first?.operator} />,
        rows: first ? [first, ...others] : [],
      }))}
      columns={[
        {
          name: columns.customer,
          cell: ({ customer }) => {
            const person = <Person {...customer} />
            return mayAct ? <Link to={customerPath(customer.id)}>{person}</Link> : person
          },
        },
        { name: columns.ticket, cell: (row) => <Ticket of={row} /> },
        { name: columns.reason, cell: ({ reason }) => <bdi class="free">{reason}</bdi> },
        {
          name: columns.application,
          cell: (it) => (
            <span class="marks">
              <bdi>{it.applicationName}</bdi>
              {it.software !== undefined && (
                <span class="soft">
                  <Actor of={it} />
                </span>
              )}
            </span>
          ),
        },
        {
          name: columns.access,
          cell: (it) => (
            <span class="marks">
              <AccessMarks of={it} />
            </span>
          ),
        },
        { name: columns.latest, cell: (it) => <Latest of={it} /> },
        {
          name: columns.started,
          cell: ({ startedAt }) => <Time at={startedAt} form="ofDay" />,
        },
        {
          name: columns.left,
          numeric: true,
          cell: ({ expiresAt }) => <Countdown until={expiresAt} />,
        },
        mayAct && { name: columns.end, cell: (it) => it.canEnd && <EndButton of={it} /> },
      ]}
    />
  )
}

/** An operator above what they run, and what software runs for them. */
function OperatorHead({ of }: { of: RunningImpersonation }, at: StaffAt) {
  const { operator } = of
  return (
    <span class="marks">
      <bdi class="person">{operator ? personName(at, operator) : actorName(at, of)}</bdi>
      {operator?.id === at.me.id && <Badge>{at.words.impersonations.running.you}</Badge>}
    </span>
  )
}

function OperatorActions({ of }: { of: AuditPerson | undefined }, { me }: StaffAt) {
  if (of === undefined || me.role !== 'lead' || of.id === me.id) return null
  return (
    <div class="actions">
      <StopButton operator={of} />
    </div>
  )
}

/** Ends what an operator runs, and keeps them from starting. */
export function StopButton({ operator }: { operator: AuditPerson }, at: At) {
  const labels = at.words.impersonations.running.stop
  const slots = { operator: personName(at, operator) }
  return (
    <NoteAction
      action="/stops"
      kind="danger"
      fields={{ operator: operator.id }}
      label={text(at, labels.button, slots)}
      about={text(at, labels.about, slots)}
    />
  )
}

/** The newest request, and the way to all that was done. */
function Latest({ of: { id, lastUse } }: { of: RunningImpersonation }, at: At) {
  const { running, events } = at.words.impersonations
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
        status >= 400 && <Badge tone="warning">{text(at, request.answered, { status })}</Badge>
      )}
      <Time at={lastUse.at} form="ofDay" />
    </span>
  )
}
