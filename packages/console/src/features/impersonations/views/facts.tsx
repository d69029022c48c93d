import { type AuditPerson, endingOf } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../ledger/filters.ts'
import type { ImpersonationAnswer } from '../../../web/answers.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { Fact, MomentFact } from '../../../web/kit/fact.tsx'
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
  const { ticket, reason, startedAt, isStartInferred, expiresAt, byNames } = row
  const { records, alarms, impersonations } = at.words
  const { impersonation: labels } = impersonations.audit
  const over = end?.at ?? (outcome === 'expired' ? expiresAt : undefined)
  const whoOf = (id: string) => personOfRow(row, id, byNames[id])
  const requests = [
    counted(at, labels.reads, row.reads),
    counted(at, labels.changes, row.changes),
    counted(at, labels.refusedActs, row.refused),
    counted(at, labels.failed, row.failed),
  ]
  return (
    <>
      <dl class="facts" aria-label={labels.facts}>
        <Fact name={labels.outcome}>
          <OutcomeBadge row={row} /> <RowMarks row={row} isBesideOutcome />
        </Fact>
        <PersonFact
          name={labels.operator}
          of={operator}
          all={labels.of}
          filter={at.me.role !== 'operator' && { operator: operator?.id }}
        />
        <Fact name={labels.software}>{row.software && <bdi>{row.software}</bdi>}</Fact>
        <PersonFact
          name={labels.customer}
          of={customer}
          all={labels.as}
          filter={{ customer: customer?.id }}
        />
        <Fact name={labels.ticket}>
          {ticket !== undefined && (
            <>
              <Ticket of={ticket} url={row.ticketUrl} />{' '}
              <Link to={auditListPath({ ticket })}>{text(at, labels.allOfTicket, { ticket })}</Link>
            </>
          )}
        </Fact>
        <Fact name={labels.reason}>{reason !== undefined && <bdi class="free">{reason}</bdi>}</Fact>
        <Fact name={labels.application}>
          {row.application && <bdi>{row.applicationName ?? row.application}</bdi>}
        </Fact>
        <MomentFact name={labels.asked} at={row.askedAt} />
        <MomentFact name={isStartInferred ? labels.startedByThen : labels.started} at={startedAt} />
        <Fact name={labels.ended}>
          {end && (
            <>
              <Text
                of={end.by === undefined ? labels.endedByProvider : labels.endedBy}
                time={<Time at={end.at} form="long" />}
                person={<NamedPerson of={personOfRow(row, end.by, end.name)} />}
              />
              {endingOf(row) !== 'left' && <Said of={end.reason} />}
            </>
          )}
        </Fact>
        <MomentFact
          name={outcome === 'expired' ? labels.expired : labels.until}
          at={end || isStartInferred ? undefined : expiresAt}
        />
        <Fact name={labels.lasted}>
          {startedAt !== undefined && over !== undefined && elapsedText(at, over - startedAt)}
        </Fact>
        <Fact name={labels.requests}>{startedAt !== undefined && requests.join(', ')}</Fact>
        <Fact name={labels.refusals}>
          {refusal && (
            <>
              <Time at={refusal.at} form="long" />
              {': '}
              <bdi class="free">{refusal.reason || refusal.error}</bdi>
            </>
          )}
        </Fact>
        <Fact name={records.history.kinds.approval}>
          {row.permit !== undefined &&
            [row.permit].flat().map((id) => (
              <Link key={id} to={recordPath(id)}>
                {records.open}
              </Link>
            ))}
        </Fact>
        <Fact name={labels.alarms}>
          {alarm && (
            <>
              {alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}.{' '}
              <Time at={alarm.at} form="long" />
            </>
          )}
        </Fact>
        <NoteFact name={labels.objection} of={objection} by={customer} sentence={labels.byAt} />
        <NoteFact
          name={labels.acknowledged}
          of={acknowledged}
          by={acknowledged && whoOf(acknowledged.by)}
          sentence={labels.byAt}
        />
        <NoteFact
          name={labels.hold}
          of={hold}
          by={hold && whoOf(hold.by)}
          sentence={hold?.isHeld ? labels.held : labels.released}
        />
      </dl>
      <details class="technical">
        <summary>{labels.technical}</summary>
        <dl class="facts">
          {(
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
          ).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value !== undefined && <code>{value}</code>}
            </Fact>
          ))}
        </dl>
      </details>
    </>
  )
}

function PersonFact(
  props: {
    name: string
    of: AuditPerson | undefined
    /** Finds all of this person, and the words of the link. */
    filter: RowFilter | false
    all: string
  },
  at: StaffAt,
) {
  const { name, of, filter, all } = props
  if (!of) return null
  return (
    <Fact name={name}>
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
    </Fact>
  )
}

/** A note, and who wrote it when. */
function NoteFact(props: {
  name: string
  of: { readonly at: number; readonly note?: string | undefined } | undefined
  by: AuditPerson | undefined
  sentence: string
}) {
  const { name, of, by, sentence } = props
  if (!of) return null
  return (
    <Fact name={name}>
      <Text of={sentence} person={<NamedPerson of={by} />} time={<Time at={of.at} form="long" />} />
      <Said of={of.note} />
    </Fact>
  )
}
