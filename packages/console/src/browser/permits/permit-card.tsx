import { isAfterRefusal } from 'oidc-provider-impersonation-verify/format'
import type { PermitAnswer } from '../../api/permits/answers.ts'
import { AfterRefusal } from '../kit/after-refusal.tsx'
import { durationText } from '../kit/duration.ts'
import { Badge, Time } from '../kit/kit.tsx'
import { permitPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { language, Text, text, words } from '../kit/text.tsx'
import { nameOf } from '../running/names.ts'
import { Ticket } from '../running/ticket.tsx'
import type { Session } from '../session/session.ts'
import { choicesOf, DecideButtons, type Deciding } from './deciding.tsx'
import { accessOf, actingOf } from './in-words.ts'

const { permits: labels } = words

/** One request, or what was approved. */
export function PermitCard(props: {
  session: Session
  permit: PermitAnswer
  onChoose: (deciding: Deciding) => void
}) {
  const { session, permit, onChoose } = props
  const choices = choicesOf(permit)
  const hasKeys = choices.includes('grant')
  const isRed = choices.includes('review') || isAfterRefusal(permit.review?.reason)
  const { ticket, ticketUrl, reason, requestedAt, lapsesAt, until, state } = permit
  return (
    <li
      class={isRed ? 'card alarm' : 'card'}
      aria-label={actingOf(permit)}
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
        {accessOf(permit)} (<bdi class="id">{permit.scope}</bdi>){' · '}
        {durationText(permit.for, language)}
      </p>
      <p class="why">
        <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
      </p>
      <Refusals of={permit} />
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
          class="button quiet"
          label={text(labels.openLabel, { acting: actingOf(permit) })}
        >
          {labels.open}
        </Link>
      </div>
    </li>
  )
}

/** What was refused to the same operator before. */
export function Refusals({ of: { refusals = [] } }: { of: PermitAnswer }) {
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

export function StateBadge({ permit: { kind, state, may, review } }: { permit: PermitAnswer }) {
  const isEmergency = may.includes('review') || (kind === 'emergency' && state === 'granted')
  const tone = state === 'granted' ? 'good' : state === 'requested' ? 'warning' : 'plain'
  return (
    <span class="marks">
      {isEmergency ? (
        <Badge tone="alarm">{labels.emergency}</Badge>
      ) : (
        <Badge tone={tone}>{labels.states[state]}</Badge>
      )}
      {isAfterRefusal(review?.reason) && <AfterRefusal />}
    </span>
  )
}
