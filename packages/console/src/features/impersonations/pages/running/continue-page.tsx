import { useEffect, useRef } from 'preact/hooks'
import type { RowAnswer, RunningImpersonation } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { Page } from '../../../../web/kit/page.tsx'
import { actPath } from '../../../../web/kit/paths.ts'
import { Person } from '../../../../web/kit/person.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { Loaded, useLoad } from '../../../../web/session/load.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import type { Session } from '../../../../web/session/session.ts'
import { continueOne } from './continuing.ts'
import { asRunning } from './mine.ts'

const { running } = words.impersonations

/**
 * Where an application leads after a reload: `/continue/:id`. Opening the page starts, ends and records
 * nothing, so a link from elsewhere does not, either. Its button does.
 */
export function ContinuePage({ session, params }: PageProps) {
  const { id = '' } = params
  const row = useLoad<RowAnswer>(
    (signal) => session.ask(`/audit/${encodeURIComponent(id)}`, { signal }),
    [id],
  )
  return (
    <Page narrow title={running.continuePage.title}>
      <Loaded of={row} label={running.continuePage.loading}>
        {(value) => {
          const it = asRunning(value)
          return it ? <WayOn session={session} it={it} /> : <p>{running.continueGone}</p>
        }}
      </Loaded>
    </Page>
  )
}

function WayOn({ session, it }: { session: Session; it: RunningImpersonation }) {
  const { customer, ticket, ticketUrl, reason } = it
  const actions = useRef<HTMLDivElement>(null)
  useEffect(() => actions.current?.querySelector('button')?.focus(), [])
  return (
    <>
      <p>
        <Text of={running.acted} customer={<Person {...customer} />} />{' '}
        <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
      </p>
      <div class="actions" ref={actions}>
        <Button kind="primary" onPress={() => continueOne(session, it)}>
          {ticket === undefined ? running.continueNoTicket : text(running.continue, { ticket })}
        </Button>
        <Link to={actPath(customer.id, it)}>{running.toForm}</Link>
      </div>
    </>
  )
}
