import { unapprovedIn } from 'oidc-provider-impersonation-verify/format'
import { Badge } from '../../../web/kit/badge.tsx'
import { durationText } from '../../../web/kit/duration.ts'
import { nameOf } from '../../../web/kit/names.ts'
import { permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { language, Text, text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { ReviewMark } from '../../../web/kit/unapproved.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { PastPermitAnswer, PermitAnswer } from '../server/api/answers.ts'
import { type ChosenDecision, choicesOf, DecideButtons } from './deciding.tsx'
import { accessOf, permitActing } from './in-words.ts'

const { permits: labels } = words

/** One request, or what was approved. */
export function PermitCard(props: {
  session: Session
  permit: PermitAnswer
  onChoose: (deciding: ChosenDecision) => void
}) {
  const { session, permit, onChoose } = props
  const choices = choicesOf(permit)
  const hasKeys = choices.includes('grant')
  const isRed = unapprovedIn(permit.review?.reason) !== undefined
  const isToReview = permit.may.includes('review')
  const { ticket, ticketUrl, reason, requestedAt, lapsesAt, until, state } = permit
  return (
    <li
      class={isRed ? 'card alarm' : 'card'}
      aria-label={permitActing(permit)}
      data-permit={permit.id}
      {...(hasKeys ? { tabIndex: 0, 'aria-keyshortcuts': 'A R' } : {})}
    >
      <div class="section-head">
        <h3>
          <Text
            of={labels.acting}
            operator={<bdi class="person">{nameOf(permit.operator)}</bdi>}
            customer={<bdi class="person">{nameOf(permit.customer)}</bdi>}
          />
        </h3>
        <StateBadge permit={permit} />
      </div>
      <p>
        <bdi>{permit.applicationName ?? permit.application}</bdi>
        {' · '}
        {accessOf(permit)}
        {' · '}
        {durationText(permit.for, language)}
      </p>
      <p class="why">
        <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
      </p>
      <RefusedBefore of={permit} />
      <p class="note">
        {labels[permit.kind === 'emergency' ? 'begun' : 'asked']} <Time at={requestedAt} />
        {state === 'requested' && lapsesAt !== undefined && (
          <>
            {' · '}
            {labels.lapses} <Time at={lapsesAt} />
          </>
        )}
        {state === 'granted' && until !== undefined && (
          <>
            {' · '}
            {labels.until} <Time at={until} />
          </>
        )}
      </p>
      <div class="actions">
        <DecideButtons session={session} permit={permit} onChoose={onChoose} />
        <Link
          to={permitPath(permit.id)}
          class={isToReview ? 'button primary' : 'button quiet'}
          label={text(labels.openLabel, { acting: permitActing(permit) })}
        >
          {labels.open}
        </Link>
      </div>
    </li>
  )
}

/** What was refused to the same operator before. */
export function RefusedBefore({ of: { refusals = [] } }: { of: PermitAnswer }) {
  return refusals.map(({ id, by, at, ticket, note }) => (
    <p key={id} class="message refused">
      <Text
        of={labels.refusedBefore}
        person={<bdi class="person">{nameOf(by)}</bdi>}
        time={<Time at={at} />}
      />{' '}
      <Ticket of={ticket} url={undefined} /> <bdi class="free">{note}</bdi>{' '}
      <Link to={permitPath(id)}>{labels.open}</Link>
    </p>
  ))
}

/** How it stands: of an emergency, also whether somebody has looked at it. */
export function StateBadge({ permit }: { permit: PastPermitAnswer }) {
  const { kind, state, review } = permit
  const tone = state === 'granted' ? 'good' : state === 'requested' ? 'warning' : 'plain'
  const isEmergency = kind === 'emergency'
  return (
    <span class="marks">
      <ReviewMark review={review?.reason} />
      {/* Nobody approved an emergency. */}
      {!(isEmergency && state === 'granted') && <Badge tone={tone}>{labels.states[state]}</Badge>}
      {review && (
        <Badge tone={review.at === undefined ? 'warning' : 'plain'}>
          {review.at === undefined ? labels.review : labels.wasReviewed}
        </Badge>
      )}
    </span>
  )
}
