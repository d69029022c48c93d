import { type AuditPerson, endingOf, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import type { AuditRowAnswer } from '../../../../web/answers.ts'
import { Fact, MomentFact } from '../../../../web/kit/fact.tsx'
import { elapsedText, NamedPerson, personName, personOfRow } from '../../../../web/kit/in-words.tsx'
import { permitPath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { Said } from '../../../../web/kit/said.tsx'
import { counted, Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { useTimeUntilExpiry } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { addressOf } from './filter.ts'
import { Marks, OutcomeBadge } from './outcome.tsx'

const { impersonation: labels } = words.impersonations.audit

/** All that is known of an impersonation. */
export function ImpersonationFacts({ row, session }: { row: AuditRowAnswer; session: Session }) {
  const now = useTimeUntilExpiry(session, [row])
  const outcome = outcomeOf(row, now)
  const { customer, operator, ticket, reason, end, refusal, alarm, acknowledged, hold, objection } =
    row
  const over = end?.at ?? (outcome === 'expired' ? row.expiresAt : undefined)
  const hasAudit = session.me.role !== 'operator'
  return (
    <div class="facts-part">
      <dl class="facts" aria-label={labels.facts}>
        <Fact name={labels.outcome}>
          <OutcomeBadge row={row} outcome={outcome} /> <Marks row={row} besides={outcome} />
        </Fact>
        <PersonFact
          name={labels.operator}
          person={operator}
          link={hasAudit ? 'operator' : undefined}
        />
        <Fact name={labels.software}>{row.software && <bdi>{row.software}</bdi>}</Fact>
        <PersonFact name={labels.customer} person={customer} link="customer" />
        <Fact name={labels.ticket}>
          {ticket !== undefined && (
            <>
              <Ticket of={ticket} url={row.ticketUrl} />{' '}
              <Link to={`/audit${addressOf({ ticket })}`}>
                {text(labels.allOfTicket, { ticket })}
              </Link>
            </>
          )}
        </Fact>
        <Fact name={labels.reason}>{reason !== undefined && <bdi class="free">{reason}</bdi>}</Fact>
        <Fact name={labels.application}>
          {(row.applicationName ?? row.application) && (
            <bdi>{row.applicationName ?? row.application}</bdi>
          )}
        </Fact>
        <MomentFact name={labels.asked} at={row.askedAt} />
        <MomentFact
          name={row.isStartInferred ? labels.startedByThen : labels.started}
          at={row.startedAt}
        />
        <Fact name={labels.ended}>
          {end && (
            <>
              <Text
                of={end.by === undefined ? labels.endedByProvider : labels.endedBy}
                time={<Time at={end.at} form="long" />}
                person={<NamedPerson person={personOfRow(end.by, row, end.name)} />}
              />
              {endingOf(row) !== 'left' && <Said of={end.reason} />}
            </>
          )}
        </Fact>
        {!end && !row.isStartInferred && (
          <MomentFact
            name={outcome === 'expired' ? labels.expired : labels.until}
            at={row.expiresAt}
          />
        )}
        <Fact name={labels.lasted}>
          {row.startedAt !== undefined && over !== undefined && elapsedText(over - row.startedAt)}
        </Fact>
        <Fact name={labels.requests}>{row.startedAt !== undefined && requestsOf(row)}</Fact>
        <Fact name={labels.refusals}>
          {refusal && (
            <>
              <Time at={refusal.at} form="long" />
              {': '}
              <bdi class="free">{refusal.reason || refusal.error}</bdi>
            </>
          )}
        </Fact>
        <Fact name={words.permits.facts}>
          {row.permit !== undefined &&
            session.me.permits &&
            [row.permit].flat().map((id) => (
              <Link key={id} to={permitPath(id)}>
                {words.permits.open}
              </Link>
            ))}
        </Fact>
        <Fact name={labels.alarms}>
          {alarm && (
            <>
              {alarm.kinds.map((kind) => words.alarms.kinds[kind]).join('. ')}.{' '}
              <Time at={alarm.at} form="long" />
            </>
          )}
        </Fact>
        <Fact name={labels.objection}>
          {objection && <NoteBy note={objection.note} at={objection.at} by={customer} />}
        </Fact>
        <Fact name={labels.acknowledged}>
          {acknowledged && (
            <NoteBy note={acknowledged.note} at={acknowledged.at} by={byOf(acknowledged.by, row)} />
          )}
        </Fact>
        <Fact name={labels.hold}>
          {hold && (
            <>
              <Text
                of={hold.isHeld ? labels.held : labels.released}
                time={<Time at={hold.at} form="long" />}
                person={<NamedPerson person={byOf(hold.by, row)} />}
              />
              <Said of={hold.note} />
            </>
          )}
        </Fact>
      </dl>
      <details class="technical">
        <summary>{labels.technical}</summary>
        <dl class="facts">
          <Technical name={labels.id} value={row.id} />
          <Technical name={labels.jti} value={row.jti} />
          <Technical name={labels.operator} value={operator?.id} />
          <Technical name={labels.customer} value={customer?.id} />
          <Technical name={labels.client} value={row.application} />
          <Technical name={labels.requestedBy} value={row.requestedBy} />
          <Technical name={labels.resource} value={row.resource} />
          <Technical name={labels.scope} value={row.scope} />
        </dl>
      </details>
    </div>
  )
}

function requestsOf({ reads, changes, refused, failed }: AuditRowAnswer): string {
  return [
    counted(labels.reads, reads),
    counted(labels.changes, changes),
    counted(labels.refusedActs, refused),
    counted(labels.failed, failed),
  ].join(', ')
}

function PersonFact(props: {
  name: string
  person: AuditPerson | undefined
  /** The member of the filter that finds all of this person. */
  link: 'customer' | 'operator' | undefined
}) {
  const { name, person, link } = props
  if (!person) return null
  const of = link === 'operator' ? labels.of : labels.as
  return (
    <Fact name={name}>
      <NamedPerson person={person} />
      {person.email !== undefined && (
        <>
          {', '}
          <bdi class="email">{person.email}</bdi>
        </>
      )}{' '}
      {link && (
        <Link to={`/audit${addressOf({ [link]: person.id })}`}>
          {text(of, { person: personName(person) })}
        </Link>
      )}
    </Fact>
  )
}

/** The person who acknowledged, held or released it. */
function byOf(id: string, row: AuditRowAnswer): AuditPerson | undefined {
  return personOfRow(id, row, Object.hasOwn(row.byNames, id) ? row.byNames[id] : undefined)
}

/** A note, and who wrote it when. */
function NoteBy(props: { note: string | undefined; at: number; by: AuditPerson | undefined }) {
  return (
    <>
      <Text
        of={labels.byAt}
        person={<NamedPerson person={props.by} />}
        time={<Time at={props.at} form="long" />}
      />
      <Said of={props.note} />
    </>
  )
}

function Technical({ name, value }: { name: string; value: string | undefined }) {
  return <Fact name={name}>{value !== undefined && <code>{value}</code>}</Fact>
}
