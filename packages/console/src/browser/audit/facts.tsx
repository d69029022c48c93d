import {
  AFTER_REFUSAL,
  type AuditPerson,
  endingOf,
  isAfterRefusal,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { AuditRowAnswer } from '../../api/console/answers.ts'
import { AfterRefusal } from '../kit/after-refusal.tsx'
import { Time } from '../kit/kit.tsx'
import { permitPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { counted, Text, text, words } from '../kit/text.tsx'
import { Ticket } from '../running/ticket.tsx'
import { useTimeUntilExpiry } from '../session/clock.ts'
import type { Session } from '../session/session.ts'
import { addressOf } from './filter.ts'
import { durationOf, Named, nameOf, personOf } from './in-words.tsx'
import { Marks, OutcomeBadge } from './outcome.tsx'

const { impersonation: labels } = words.impersonations.audit

/** All that is known of an impersonation. */
export function Facts({ row, session }: { row: AuditRowAnswer; session: Session }) {
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
                time={<Time at={end.at} long />}
                person={<Named person={end.by === undefined ? undefined : enderIn(row, end)} />}
              />
              {end.reason !== undefined && endingOf(row) !== 'left' && <Note of={end.reason} />}
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
          {row.startedAt !== undefined && over !== undefined && durationOf(over - row.startedAt)}
        </Fact>
        <Fact name={labels.requests}>{row.startedAt !== undefined && requestsOf(row)}</Fact>
        <Fact name={labels.refusals}>
          {refusal && (
            <>
              <Time at={refusal.at} long />
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
        <Fact name={words.permits.review}>
          {row.review && (
            <>
              {isAfterRefusal(row.review) && <AfterRefusal />} <Review of={row.review} />
            </>
          )}
        </Fact>
        <Fact name={labels.alarms}>
          {alarm && (
            <>
              {alarm.kinds.map((kind) => words.alarms.kinds[kind]).join('. ')}.{' '}
              <Time at={alarm.at} long />
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
                time={<Time at={hold.at} long />}
                person={<Named person={byOf(hold.by, row)} />}
              />
              {hold.note !== undefined && <Note of={hold.note} />}
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

/** Why it has to be looked at: what permits say in the words of the page, and what a rule says as it is. */
function Review({ of }: { of: string }) {
  return of
    .split('; ')
    .map((part) => (
      <p key={part}>
        {part.startsWith(AFTER_REFUSAL) ? (
          <Text of={words.permits.afterRefusal} person={part.slice(AFTER_REFUSAL.length)} />
        ) : part === 'emergency' ? (
          words.permits.emergency
        ) : (
          <bdi>{part}</bdi>
        )}
      </p>
    ))
}

/** A fact that is not known is not there. */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === undefined || children === false || children === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function MomentFact({ name, at }: { name: string; at: number | undefined }) {
  return <Fact name={name}>{at !== undefined && <Time at={at} long />}</Fact>
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
      <Named person={person} />
      {person.email !== undefined && (
        <>
          {', '}
          <bdi class="email">{person.email}</bdi>
        </>
      )}{' '}
      {link && (
        <Link to={`/audit${addressOf({ [link]: person.id })}`}>
          {text(of, { person: nameOf(person) })}
        </Link>
      )}
    </Fact>
  )
}

function enderIn(row: AuditRowAnswer, { by, name }: NonNullable<AuditRowAnswer['end']>) {
  return by === undefined || name === undefined ? personOf(by, row) : { id: by, name }
}

/** The person who acknowledged, held or released it. */
function byOf(id: string, row: AuditRowAnswer): AuditPerson | undefined {
  const name = Object.hasOwn(row.byNames, id) ? row.byNames[id] : undefined
  return name === undefined ? personOf(id, row) : { id, name }
}

/** A note, and who wrote it when. */
function NoteBy(props: { note: string | undefined; at: number; by: AuditPerson | undefined }) {
  return (
    <>
      <Text
        of={labels.byAt}
        person={<Named person={props.by} />}
        time={<Time at={props.at} long />}
      />
      {props.note !== undefined && <Note of={props.note} />}
    </>
  )
}

function Note({ of }: { of: string }) {
  return (
    <q class="said">
      <bdi>{of}</bdi>
    </q>
  )
}

function Technical({ name, value }: { name: string; value: string | undefined }) {
  return <Fact name={name}>{value !== undefined && <code>{value}</code>}</Fact>
}
