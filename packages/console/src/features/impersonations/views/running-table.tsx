import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { RunningImpersonation } from '../../../web/answers.ts'
import { type At, type StaffAt, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath, customerPath, pausePath } from '../../../web/kit/paths.ts'
import { Actor, actorName, personName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Countdown, Time } from '../../../web/kit/time.tsx'
import type { PauseAnswer } from '../../../web/pause-answers.ts'
import { EndAll, EndButton } from './end.tsx'
import { AccessMarks } from './running-line.tsx'

/** What runs, oldest first: of each operator together, with what a lead can do above. */
export function RunningTable(
  props: { rows: readonly RunningImpersonation[]; pauses: readonly PauseAnswer[] },
  at: StaffAt,
) {
  const { rows, pauses } = props
  const { columns, title } = at.words.impersonations.running
  const mayAct = at.me.role !== 'auditor'
  const groups = Map.groupBy(rows, ({ operator, software }) => operator?.id ?? `${software} alone`)
  return (
    <Table
      label={title}
      keyOf={({ id }) => id}
      groups={[...groups].map(([key, own]) => {
        const pause = pauses.find(({ operator, customer }) => operator.id === key && !customer)
        return {
          key,
          head: <OperatorHead rows={own} pause={pause} />,
          actions: <OperatorActions rows={own} pause={pause} />,
          rows: own,
        }
      })}
      columns={[
        {
          name: columns.customer,
          cell: ({ customer }) => {
            const person = <Person {...customer} />
            return mayAct ? <Link to={customerPath(customer.id)}>{person}</Link> : person
          },
        },
        {
          name: columns.ticket,
          cell: ({ ticket, ticketUrl }) => <Ticket of={ticket} url={ticketUrl} />,
        },
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

interface OfOperator {
  /** What the operator runs: at least one. */
  readonly rows: readonly RunningImpersonation[]
  /** What keeps the operator from starting as any customer. */
  readonly pause: PauseAnswer | undefined
}

/** An operator above what they run, and what software runs for them. */
function OperatorHead({ rows: [first], pause }: OfOperator, at: StaffAt) {
  const labels = at.words.impersonations.running
  const { operator } = first ?? {}
  const name = operator ? personName(at, operator) : actorName(at, first ?? {})
  return (
    <span class="marks">
      <bdi class="person">{name}</bdi>
      {operator?.id === at.me.id && <Badge>{labels.you}</Badge>}
      {pause && (
        <Link to={pausePath(pause.id)} label={text(at, labels.pause.heldLabel, { operator: name })}>
          {labels.pause.held}
        </Link>
      )}
    </span>
  )
}

/** The pause of an operator, and the end of all that they run. */
function OperatorActions({ rows, pause }: OfOperator, { me }: StaffAt) {
  const operator = rows[0]?.operator
  if (operator === undefined || me.role !== 'lead') return null
  return (
    <div class="actions">
      {operator.id !== me.id && !pause && <PauseButton operator={operator} />}
      <EndAll operator={operator} count={rows.length} />
    </div>
  )
}

/** Keeps an operator from starting. */
export function PauseButton({ operator }: { operator: AuditPerson }, at: At) {
  const labels = at.words.impersonations.running.pause
  const slots = { operator: personName(at, operator) }
  return (
    <NoteAction
      action="/pauses"
      fields={{ operator: operator.id }}
      label={text(at, labels.button, slots)}
      title={text(at, labels.title, slots)}
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
