import { type Ending, endingOf } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { ActionButton } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import { personName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Countdown } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { WayOn } from '../server/continue.ts'
import type { Continued, MyOver, MyRunning, StripAnswer } from '../server/strip.ts'
import { EndButton } from './end.tsx'

/** In this time before the end, the strip looks different, in milliseconds. */
const LAST_MINUTE = 60_000

/** Below the head of every page: what the reader runs, the time that is left, and the way on. */
export function Strip({ of: { running, over, stopped } }: { of: StripAnswer }, at: At) {
  const labels = at.words.impersonations.running
  return (
    // What may go on depends on approvals and pauses, too.
    <div data-about={over.length > 0 ? '*' : 'running'}>
      <p role="status" class="unseen">
        {running.map((it) => it.goOn && warningText(at, it))}
      </p>
      {running.length > 0 && (
        <section class="my-running" aria-label={labels.strip}>
          <ul>
            {running.map((it) => (
              <Running key={it.id} of={it} />
            ))}
          </ul>
        </section>
      )}
      {/* It is there before its texts: screen readers hear what comes. */}
      <div role="status">
        {stopped.map((it) => (
          <p key={it.id} class="message refused">
            {stoppedText(at, it)}
          </p>
        ))}
      </div>
      {over.length > 0 && !at.here.startsWith('/continue/') && (
        <section class="over-line" aria-label={labels.overTitle}>
          <ul>
            {over.map((it) => (
              <li key={it.id}>
                <span>
                  <Text of={labels.acted} customer={<Person {...it.customer} />} />
                </span>
                <Ticket of={it.ticket} url={it.ticketUrl} />
                <ContinueButton of={it} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Running({ of: it }: { of: MyRunning }, at: At) {
  const { customer, expiresAt, goOn, widen } = it
  const labels = at.words.impersonations.running
  const lastMinute = expiresAt - LAST_MINUTE
  return (
    <li>
      {lastMinute > at.now && <time hidden data-until={lastMinute} />}
      <b class="acting-as">
        <Text
          of={labels.acting}
          customer={
            <Link to={customerPath(customer.id)}>
              <Person {...customer} />
            </Link>
          }
        />
      </b>
      <Ticket of={it.ticket} url={it.ticketUrl} />
      {it.application !== undefined && <bdi class="application">{it.application}</bdi>}
      <Badge tone={it.canChange ? 'warning' : 'plain'}>
        {it.canChange ? labels.change : labels.look}
      </Badge>
      <UnapprovedMark of={it.unapproved} />
      <span class="time-left">
        <Text of={labels.left} time={<Countdown until={expiresAt} />} />
      </span>
      <span class="strip-actions">
        {goOn === 'allowed' && <ContinueButton of={it} />}
        {widen && <WidenButton of={it} way={widen} />}
        <EndButton of={it} />
      </span>
    </li>
  )
}

/** Goes on with the same ticket. */
export function ContinueButton(
  { of: { id, customer, ticket }, isFirst }: { of: Continued; isFirst?: true },
  at: At,
) {
  const labels = at.words.impersonations.running
  const slots = { ticket: ticket ?? '', customer: personName(at, customer) }
  const [name, label] =
    ticket === undefined
      ? [labels.continueNoTicket, labels.continueNoTicketLabel]
      : [labels.continue, labels.continueLabel]
  return (
    <ActionButton
      opens
      {...(isFirst && { isFirst, kind: 'primary' })}
      action={`/impersonations/${id}/continue`}
      label={text(at, label, slots)}
    >
      {text(at, name, slots)}
    </ActionButton>
  )
}

/** From looking to changing. What needs an approval is asked for in the form. */
function WidenButton({ of: it, way }: { of: MyRunning; way: WayOn }, at: At) {
  const { withChanges, withChangesLabel } = at.words.impersonations.running
  const { id, customer, ticket = '', reason = '' } = it
  const label = text(at, withChangesLabel, { customer: personName(at, customer) })
  if (way === 'refused') return null
  if (way === 'needs') {
    const to = actPath(customer.id, { ticket, reason, access: 'change' })
    return (
      <Link to={to} class="button plain" label={label}>
        {withChanges}
      </Link>
    )
  }
  return (
    <ActionButton
      opens
      action={`/impersonations/${id}/continue`}
      label={label}
      fields={{ access: 'change' }}
    >
      {withChanges}
    </ActionButton>
  )
}

/** For screen readers, when the last minute begins. */
function warningText(at: At, { customer, ticket }: MyRunning): string {
  const { minuteLeft, minuteLeftNoTicket } = at.words.impersonations.running
  const slots = { customer: personName(at, customer), ticket: ticket ?? '' }
  return text(at, ticket === undefined ? minuteLeftNoTicket : minuteLeft, slots)
}

/** Who or what ended it, and what they said. */
function stoppedText(at: At, { customer, end, objection, operator }: MyOver): string {
  const { overBy } = at.words.impersonations.running
  const known: Readonly<Partial<Record<Ending, string>>> = overBy
  const ending = endingOf({ end, operator }) ?? 'provider'
  const note = ending === 'other' ? end?.reason : undefined
  const sentence =
    ending === 'user' && objection
      ? overBy.objected
      : note === undefined
        ? known[ending]
        : overBy.otherWith
  return text(at, sentence ?? overBy.provider, {
    ...{ customer: personName(at, customer), note: note ?? '' },
    person: end?.name ?? end?.by ?? '',
  })
}
