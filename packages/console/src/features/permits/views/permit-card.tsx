import { isReviewDue, unapprovedBy } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { Acting, actingText, NamedPerson } from '../../../web/kit/people.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { durationText, Time } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'
import type { PastPermitAnswer, PermitAnswer } from '../server/api/answers.ts'
import { DecideButtons } from './deciding.tsx'
import { DecisionList } from './decisions.tsx'
import { accessText } from './in-words.ts'
import { StartButton } from './start-button.tsx'

/** One request, or what was approved, with what the reader can do. */
export function PermitCard({ permit }: { permit: PermitAnswer }, at: At) {
  const { id, may, kind, requestedAt, lapsesAt, until, state } = permit
  const labels = at.words.permits
  return (
    <PermitFrame permit={permit} isRed={unapprovedBy(permit) !== undefined}>
      <RefusedBefore of={permit} />
      <p class="note">
        {kind === 'emergency' ? labels.begun : labels.asked} <Time at={requestedAt} />
        {state === 'requested' && <AndTime name={labels.lapses} at={lapsesAt} />}
        {state === 'granted' && <AndTime name={labels.until} at={until} />}
      </p>
      <DecisionList permit={permit} />
      <div class="actions">
        <StartButton permit={permit} />
        <DecideButtons permit={permit} />
        <Link
          to={permitPath(id)}
          class={may.includes('reviewed') ? 'button primary' : 'button quiet'}
          label={text(at, labels.openLabel, { acting: actingText(at, permit) })}
        >
          {labels.open}
        </Link>
      </div>
    </PermitFrame>
  )
}

function AndTime({ name, at }: { name: string; at: number | undefined }) {
  if (at === undefined) return null
  return (
    <>
      {' · '}
      {name} <Time at={at} />
    </>
  )
}

/** Who asked for what, and why, above what is said of it. */
export function PermitFrame(
  props: {
    permit: PastPermitAnswer
    isRed?: boolean
    /** @defaultValue h3 */
    heading?: 'h2'
    children: ComponentChildren
  },
  at: At,
) {
  const { permit, isRed, heading: Heading = 'h3', children } = props
  const { id, ticket, ticketUrl, reason } = permit
  return (
    <li class={isRed ? 'card alarm' : 'card'} id={id} aria-label={actingText(at, permit)}>
      <div class="section-head">
        <Heading>
          <Acting row={permit} />
        </Heading>
        <StateBadge permit={permit} />
      </div>
      <p>
        <bdi>{permit.applicationName ?? permit.application}</bdi>
        {` · ${accessText(at, permit)} · ${durationText(at, permit.for)}`}
      </p>
      <p class="why">
        <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
      </p>
      {children}
    </li>
  )
}

/** What was refused to the same operator before. */
export function RefusedBefore({ of: { refusals = [] } }: { of: PermitAnswer }, { words }: At) {
  const labels = words.permits
  return (
    <>
      {refusals.map(({ id, by, at, ticket, note }) => (
        <p key={id} class="message refused">
          <Text
            of={labels.refusedBefore}
            person={<NamedPerson of={by} />}
            time={<Time at={at} />}
          />{' '}
          <Ticket of={ticket} /> <bdi class="free">{note}</bdi>{' '}
          <Link to={permitPath(id)}>{labels.open}</Link>
        </p>
      ))}
    </>
  )
}

/** How it stands: of an emergency, also whether somebody has looked at it. */
export function StateBadge({ permit }: { permit: PastPermitAnswer }, { words }: At) {
  const { kind, state } = permit
  const isDue = isReviewDue(permit)
  const labels = words.permits
  const tone = state === 'granted' ? 'good' : state === 'requested' ? 'warning' : 'plain'
  return (
    <span class="marks">
      <UnapprovedMark of={unapprovedBy(permit)} />
      {/* Nobody approved an emergency. */}
      {!(kind === 'emergency' && state === 'granted') && (
        <Badge tone={tone}>{labels.states[state]}</Badge>
      )}
      {kind === 'emergency' && (
        <Badge tone={isDue ? 'warning' : 'plain'}>
          {isDue ? labels.review : labels.wasReviewed}
        </Badge>
      )}
    </span>
  )
}
