import { type At, counted } from '../../../web/kit/at.ts'
import { Link } from '../../../web/kit/link.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { Acting } from '../../../web/kit/people.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { WaitingCard } from '../../../web/kit/waiting-card.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'

/** The requests on which the reader can decide, where they are one of several things that wait. */
export function RequestsWaiting({ of }: { of: readonly PermitAnswer[] }, at: At) {
  const heading = counted(at, at.words.permits.toDecide, of.length)
  return <PermitsWaiting of={of} heading={heading} />
}

/** What operators did without an approval, and the reader can look at. */
export function ReviewsWaiting({ of }: { of: readonly PermitAnswer[] }, at: At) {
  const heading = counted(at, at.words.permits.toReview, of.length)
  return <PermitsWaiting of={of} heading={heading} />
}

function PermitsWaiting({ of, heading }: { of: readonly PermitAnswer[]; heading: string }) {
  return (
    <WaitingCard heading={heading} to="/approvals" items={of}>
      {(permit) => (
        <>
          <Link to={permitPath(permit.id)}>
            <Acting row={permit} />
          </Link>
          {' · '}
          <Ticket of={permit.ticket} url={permit.ticketUrl} />
          {' · '}
          <Time at={permit.requestedAt} form="recent" />
        </>
      )}
    </WaitingCard>
  )
}
