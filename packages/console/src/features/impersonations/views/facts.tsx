import { type AuditPerson, endingOf } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { RowFilter } from '../../../ledger/filters.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { FactList } from '../../../web/kit/fact.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath, recordPath } from '../../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said } from '../../../web/kit/said.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { elapsedText, Time } from '../../../web/kit/time.tsx'
import type { Words } from '../../../web/words/words.ts'
import type { ImpersonationAnswer } from '../server/impersonation.ts'
import { OutcomeBadge, personOfRow, RowMarks } from './rows.tsx'

type FactName = keyof Words['impersonations']['audit']['impersonation']['fields']
type Facts = Partial<Record<FactName, ComponentChildren>>

/** All that is known of an impersonation. */
export function ImpersonationFacts({ of: row }: { of: ImpersonationAnswer }, at: StaffAt) {
  const { records, alarms, impersonations } = at.words
  const { impersonation: labels } = impersonations.audit
  const { customer, operator, software, ticket, reason, application, applicationName } = row
  const { startedAt, isStartInferred, expiresAt, end, outcome, refusal, alarm } = row
  const isExpired = outcome === 'expired'
  const over = end?.at ?? (isExpired ? expiresAt : undefined)
  const time = (of: number | undefined) => of !== undefined && <Time at={of} form="long" />
  const noted = (of: Noted | undefined, sentence: string, name?: string) => {
    const known = name ?? (of?.by && row.byNames[of.by])
    return of && <Note of={of} sentence={sentence} by={personOfRow(row, of.by, known)} />
  }
  const permits = at.me.permits ? [row.permit ?? []].flat() : []
  const facts: Facts = {
    outcome: (
      <>
        <OutcomeBadge row={row} /> <RowMarks row={row} />
      </>
    ),
    operator: operator && (
      <PersonWithAll
        of={operator}
        all={labels.of}
        filter={at.me.role !== 'operator' && { operator: operator.id }}
      />
    ),
    software: software && <bdi>{software}</bdi>,
    customer: customer && (
      <PersonWithAll of={customer} all={labels.as} filter={{ customer: customer.id }} />
    ),
    ticket: ticket !== undefined && (
      <>
        <Ticket of={row} />{' '}
        <Link to={auditListPath({ ticket })}>{text(at, labels.allOfTicket, { ticket })}</Link>
      </>
    ),
    reason: reason && <bdi class="free">{reason}</bdi>,
    application: application && <bdi>{applicationName}</bdi>,
    asked: time(row.askedAt),
    [isStartInferred ? 'startedByThen' : 'started']: time(startedAt),
    ended: noted(
      end && { ...end, note: endingOf(row) === 'left' ? undefined : end.reason },
      end?.by === undefined ? labels.endedByProvider : labels.endedBy,
      end?.name,
    ),
    [isExpired ? 'expired' : 'until']: time(end || isStartInferred ? undefined : expiresAt),
    lasted: startedAt !== undefined && over !== undefined && elapsedText(at, over - startedAt),
    requests:
      startedAt !== undefined &&
      [
        counted(at, labels.reads, row.reads),
        counted(at, labels.changes, row.changes),
        counted(at, labels.refusedActs, row.refused),
        counted(at, labels.failed, row.failed),
      ].join(', '),
    refusals: noted(refusal && { ...refusal, note: refusal.reason || refusal.error }, '{time}'),
    permit:
      permits.length > 0 &&
      permits.map((id) => (
        <Link key={id} to={recordPath(id)}>
          {records.open}
        </Link>
      )),
    alarms: alarm && (
      <>
        {alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}. {time(alarm.at)}
      </>
    ),
    objection: noted(row.objection && { by: customer?.id, ...row.objection }, labels.byAt),
    acknowledged: noted(row.acknowledged, labels.byAt),
    hold: noted(row.hold, row.hold?.isHeld ? labels.held : labels.released),
  }
  const ids: Partial<Record<FactName, string | undefined>> = {
    id: row.id,
    jti: row.jti,
    operator: operator?.id,
    customer: customer?.id,
    client: application,
    requestedBy: row.requestedBy,
    resource: row.resource,
    scope: row.scope,
  }
  const named = (name: string, value: ComponentChildren) =>
    [labels.fields[name as FactName], value] as const
  return (
    <>
      <FactList
        label={labels.facts}
        of={Object.entries(facts).map(([name, fact]) => named(name, fact))}
      />
      <details class="technical">
        <summary>{labels.technical}</summary>
        <FactList
          of={Object.entries(ids).map(([name, id]) => named(name, id && <code>{id}</code>))}
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

/** An act of a person, with its time and their note. */
function Note(props: { of: Noted; by: AuditPerson | undefined; sentence: string }) {
  const { of, by, sentence } = props
  return (
    <>
      <Text of={sentence} person={<NamedPerson of={by} />} time={<Time at={of.at} form="long" />} />
      <Said of={of.note} />
    </>
  )
}
