import { type AuditPerson, endingOf } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { RowFilter } from '../../../ledger/filters.ts'
import { counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { FactList } from '../../../web/kit/fact.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { auditListPath, recordPath } from '../../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said, Text, Ticket } from '../../../web/kit/text.tsx'
import { durationText, Time } from '../../../web/kit/time.tsx'
import type { Words } from '../../../web/words/words.ts'
import type { ImpersonationAnswer } from '../server/impersonation.ts'
import { OutcomeBadge, personOfRow, RowMarks } from './rows.tsx'

type Facts = Partial<
  Record<keyof Words['impersonations']['audit']['impersonation']['fields'], ComponentChildren>
>

/** All that is known of an impersonation. */
export function ImpersonationFacts({ of: row }: { of: ImpersonationAnswer }, at: StaffAt) {
  const { records, alarms, impersonations } = at.words
  const { impersonation: labels } = impersonations.audit
  const { customer, operator, software, ticket, reason, application, hold, objection } = row
  const { startedAt, isStartInferred, expiresAt, end, outcome, refusal, alarm } = row
  const isExpired = outcome === 'expired'
  const over = end?.at ?? (isExpired ? expiresAt : undefined)
  const time = (of: number | undefined) => of !== undefined && <Time at={of} form="long" />
  const nameOf = (id: string | undefined) =>
    row.entries.find(({ by }) => by === id)?.names?.by?.name
  // An act of a person, with its time and their note.
  const act = (
    of:
      | {
          at: number
          by?: string | undefined
          name?: string | undefined
          note?: string | undefined
        }
      | undefined,
    sentence: string,
  ) =>
    of && (
      <>
        <Text
          of={sentence}
          person={<NamedPerson of={personOfRow(row, of.by, of.name ?? nameOf(of.by))} />}
          time={time(of.at)}
        />
        <Said of={of.note} />
      </>
    )
  const all = (filter: RowFilter, sentence: string, slots: Record<string, string>) => (
    <Link to={auditListPath(filter)}>{text(at, sentence, slots)}</Link>
  )
  const person = (of: AuditPerson | undefined, filter: RowFilter | undefined, sentence: string) =>
    of && (
      <>
        <NamedPerson of={of} />
        {of.email !== undefined && (
          <>
            {', '}
            <bdi class="email">{of.email}</bdi>
          </>
        )}{' '}
        {filter && all(filter, sentence, { person: personName(at, of) })}
      </>
    )
  const ofOperator = at.me.role === 'operator' ? undefined : { operator: operator?.id }
  const permits = at.me.permits ? [row.permit ?? []].flat() : []
  const facts: Facts = {
    outcome: (
      <>
        <OutcomeBadge row={row} /> <RowMarks row={row} />
      </>
    ),
    operator: person(operator, ofOperator, labels.of),
    software: software && <bdi>{software}</bdi>,
    customer: person(customer, { customer: customer?.id }, labels.as),
    ticket: ticket !== undefined && (
      <>
        <Ticket of={row} /> {all({ ticket }, labels.allOfTicket, { ticket })}
      </>
    ),
    reason: reason && <bdi class="free">{reason}</bdi>,
    application: application && <bdi>{row.applicationName}</bdi>,
    asked: time(row.askedAt),
    [isStartInferred ? 'startedByThen' : 'started']: time(startedAt),
    ended: act(
      end && { ...end, note: endingOf(row) === 'left' ? undefined : end.reason },
      end?.by === undefined ? labels.endedByProvider : labels.endedBy,
    ),
    [isExpired ? 'expired' : 'until']: time(end || isStartInferred ? undefined : expiresAt),
    lasted:
      startedAt !== undefined && over !== undefined && durationText(at, (over - startedAt) / 1000),
    requests:
      startedAt !== undefined &&
      [
        counted(at, labels.reads, row.reads),
        counted(at, labels.changes, row.changes),
        counted(at, labels.refusedActs, row.refused),
        counted(at, labels.failed, row.failed),
      ].join(', '),
    refusals: act(refusal && { ...refusal, note: refusal.reason || refusal.error }, '{time}'),
    permit: permits.map((id) => (
      <Link key={id} to={recordPath(id)}>
        {records.open}
      </Link>
    )),
    alarms: alarm && (
      <>
        {alarm.kinds.map((kind) => alarms.kinds[kind]).join('. ')}. {time(alarm.at)}
      </>
    ),
    objection: act(objection && { by: customer?.id, ...objection }, labels.byAt),
    acknowledged: act(row.acknowledged, labels.byAt),
    hold: act(hold, hold?.isHeld ? labels.held : labels.released),
  }
  const ids: Facts = {
    id: row.id,
    jti: row.jti,
    operator: operator?.id,
    customer: customer?.id,
    client: application,
    requestedBy: row.requestedBy,
    resource: row.resource,
    scope: row.scope,
  }
  const names: Readonly<Record<string, string>> = labels.fields
  const named = (of: Facts) =>
    Object.entries(of).map(([name, fact]) => [names[name] ?? name, fact] as const)
  return (
    <>
      <FactList label={labels.facts} of={named(facts)} />
      <details class="technical">
        <summary>{labels.technical}</summary>
        <FactList of={named(ids)} />
      </details>
    </>
  )
}
