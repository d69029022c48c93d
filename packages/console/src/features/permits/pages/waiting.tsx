import { useEffect, useState } from 'preact/hooks'
import { nameOf } from '../../../web/kit/names.ts'
import { permitPath } from '../../../web/kit/paths.ts'
import { Link } from '../../../web/kit/router.tsx'
import { counted, Text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { WaitingCard } from '../../../web/kit/waiting-card.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { PermitAnswer } from '../server/api/answers.ts'
import { PermitWatch } from './permit-watch.ts'

const { permits: labels } = words

/** The requests on which the reader can decide. */
export function RequestsWaiting({ session }: { session: Session }) {
  const { permits } = useWatch(session)
  const waiting = permits.filter(({ may }) => may.includes('grant'))
  return <PermitsWaiting permits={waiting} heading={counted(labels.toDecide, waiting.length)} />
}

/** What operators did without an approval, and the reader can look at. */
export function ReviewsWaiting({ session }: { session: Session }) {
  const { toReview } = useWatch(session)
  const waiting = toReview.filter(({ may }) => may.includes('review'))
  return <PermitsWaiting permits={waiting} heading={counted(labels.toReview, waiting.length)} />
}

function useWatch(session: Session): PermitWatch {
  const watch = PermitWatch.of(session)
  const [, redraw] = useState({})
  useEffect(() => {
    if (session.me.permits) return watch.listen(() => redraw({}))
  }, [watch])
  return watch
}

function PermitsWaiting({
  permits,
  heading,
}: {
  permits: readonly PermitAnswer[]
  heading: string
}) {
  if (permits.length === 0) return null
  return (
    <WaitingCard heading={heading} to="/approvals" items={permits} keyOf={({ id }) => id}>
      {({ id, operator, customer, ticket, ticketUrl, requestedAt }) => (
        <>
          <Link to={permitPath(id)}>
            <Text
              of={labels.acting}
              operator={<bdi class="person">{nameOf(operator)}</bdi>}
              customer={<bdi class="person">{nameOf(customer)}</bdi>}
            />
          </Link>
          {' · '}
          <Ticket of={ticket} url={ticketUrl} />
          {' · '}
          <Time at={requestedAt} form="recent" />
        </>
      )}
    </WaitingCard>
  )
}
