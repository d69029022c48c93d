import { type AuditPerson, endingOf } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../ledger/filters.ts'
import type { ImpersonationAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { FactList } from '../../../web/kit/fact.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath, recordPath } from '../../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { elapsedText, Time } from '../../../web/kit/time.tsx'
import { personOfRow } from './person-of-row.ts'
import { OutcomeBadge, RowMarks } from './rows.tsx'

/** All that is known of an impersonation. */
export function ImpersonationFacts({ of: row }: { of: ImpersonationAnswer }, at: StaffAt) {
  const { customer, operator, end, refusal, alarm, acknowledged, hold, objection, outcome } = row
  const { ticket, startedAt, isStartInferred, expiresAt, byNames } = row
  const { records, alarms, impersonations } = at.words
  const { impersonation: labels } = impersonations.audit
  const over = end?.at ?? (outcome === 'expired' ? expiresAt : undefined)
  const timeOf = (time: number | undefined) => time !== undefined && <Time at={time} form="long" />
  const noteOf = (of: Noted | undefined, sentence: string, by = personBy(of?.by)) =>
    of && <Note of={of} sentence={sentence} by={by} />
  const personBy = (id: string | undefined) => personOfRow(row, id, id && byNames[id])
  const requests = [
    counted(at, labels.reads, row.reads),
    counted(at, labels.changes, row.changes),
    counted(at, labels.refusedActs, row.refused),
    counted(at, labels.failed, row.failed),
  ]
  const permit = at.me.permits ? [row.permit ?? []].flat() : []
  return (
    <>
      <FactList
        label={labels.facts}
        of={[
          [
            labels.outcome,
            <>
              <OutcomeBadge row={row} /> <RowMarks row={row} />
            </>,
          ],
          [
            labels.operator,
            operator && (
              <PersonWithAll
                of={operator}
                all={labels.of}
                filter={at.me.role !== 'operator' && { operator: operator.id }}
              />
            ),
          ],
          [labels.software, row.software && <bdi>{row.software}</bdi>],
          [
            labels.customer,
            customer && (
              <PersonWithAll of={customer} all={labels.as} filter={{ customer: customer.id }} />
            ),
          ],
          [
            labels.ticket,
            ticket !== undefined && (
              <>
                <Ticket of={row} />{' '}
                <Link to={auditListPath({ ticket })}>
                  {text(at, labels.allOfTicket, { ticket })}
                </Link>
              </>
            ),
          ],
          [labels.reason, row.reason && <bdi class="free">{row.reason}</bdi>],
          [labels.application, row.application && <bdi>{row.applicationName}</bdi>],
          [labels.asked, timeOf(row.askedAt)],
          [isStartInferred ? labels.startedByThen : labels.started, timeOf(startedAt)],
          [
            labels.ended,
            noteOf(
              end && { ...end, note: endingOf(row) === 'left' ? undefined : end.reason },
              end?.by === undefined ? labels.endedByProvider : labels.endedBy,
              personOfRow(row, end?.by, end?.name),
            ),
          ],
          [
            outcome === 'expired' ? labels.expired : labels.until,
            timeOf(end || isStartInferred ? undefined : expiresAt),
          ],
          [
            labels.lasted,
            startedAt !== undefined && over !== undefined && elapsedText(at, over - startedAt),
          ],
          [labels.requests, startedAt !== undefined && requests.join(', ')],
          [
            labels.refusals,
            noteOf(refusal && { ...refusal, note: refusal.reason || refusal.error }, '{time}'),
          ],
          [
            records.history.kinds.approval,
            permit.length > 0 &&
              permit.map((id) => (
                <Link key={id} to={recordPath(id)}>
                  {records.open}
                </Link>
              )),
          ],
          [
            labels.alarms,
            alarm && (
              <>
                {alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}. {timeOf(alarm.at)}
              </>
            ),
          ],
          [labels.objection, noteOf(objection, labels.byAt, customer)],
          [labels.acknowledged, noteOf(acknowledged, labels.byAt)],
          [labels.hold, noteOf(hold, hold?.isHeld ? labels.held : labels.released)],
        ]}
      />
      <details class="technical">
        <summary>{labels.technical}</summary>
        <FactList
          of={(
            [
              [labels.id, row.id],
              [labels.jti, row.jti],
              [labels.operator, operator?.id],
              [labels.customer, customer?.id],
              [labels.client, row.application],
              [labels.requestedBy, row.requestedBy],
              [labels.resource, row.resource],
              [labels.scope, row.scope],
            ] as const
          ).map(([name, id]) => [name, id && <code>{id}</code>])}
        />
      </details>
    </>
  )
}

/** @param props.filter finds all of this person, and `all` are the words of the link */
function PersonWithAll(
  { of, filter, all }: { of: AuditPerson; filter: RowFilter | false; all: string },
  at: StaffAt,
) {
  return (
    <>
      <NamedPerson of={of} />
      {of.email !== undefined && (
        <>
          {', '}
          <bdi class="email">{of.email}</bdi>
        </>
      )}{' '}
      {filter && (
        <Link to={auditListPath(filter)}>{text(at, all, { person: personName(at, of) })}</Link>
      )}
    </>
  )
}

interface Noted {
  readonly at: number
  readonly by?: string | undefined
  readonly note?: string | undefined
}

/** What a person did and wrote, and when. */
function Note(props: { of: Noted; by: AuditPerson | undefined; sentence: string }) {
  const { of, by, sentence } = props
  return (
    <>
      <Text of={sentence} person={<NamedPerson of={by} />} time={<Time at={of.at} form="long" />} />
      <Said of={of.note} />
    </>
  )
}
