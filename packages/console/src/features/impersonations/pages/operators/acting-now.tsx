import type { JSX } from 'preact'
import type { CustomerAnswer, RunningImpersonation } from '../../../../web/answers.ts'
import { Actor, actorName } from '../../../../web/kit/actor.tsx'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Person } from '../../../../web/kit/person.tsx'
import { Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { UnapprovedMark } from '../../../../web/kit/unapproved.tsx'
import { useServerTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { Countdown } from '../running/countdown.tsx'

/**
 * Who acts as this customer right now. Screen readers hear when that changes.
 *
 * @param props.others only other operators: the strip has what the reader runs
 */
export function ActingNow(props: {
  session: Session
  customer: CustomerAnswer
  running: readonly RunningImpersonation[]
  others?: boolean
}) {
  const { session, customer, others = false } = props
  const now = useServerTime(session)
  const running = props.running.filter(({ expiresAt }) => expiresAt > now)
  const shown = running.filter(({ isMine }) => !(others && isMine))
  const isOther = running.some(({ isMine }) => !isMine)
  const { now: labels } = words.impersonations.operators
  const name = <Person id={customer.id} name={customer.name} />
  return (
    <div class={isOther ? 'acting-now other' : 'acting-now'}>
      {!isOther && running.length > 0 && (
        <p>
          <Text of={labels.onlyYou} name={name} />
        </p>
      )}
      {shown.length > 0 && (
        <ul>
          {shown.map((it) => (
            <li key={it.id}>
              <ActingOne it={it} name={name} session={session} />
            </li>
          ))}
        </ul>
      )}
      <p role="status" class="unseen">
        {running.filter(({ isMine }) => !isMine).map((it) => `${sentence(it)}. `)}
      </p>
    </div>
  )
}

/** For screen readers, without the time that is left: that changes each second. */
function sentence(it: RunningImpersonation): string {
  const acting = text(words.impersonations.operators.now.other, {
    operator: actorName(it, words.impersonations.running.unnamed),
    name: it.customer.name ?? it.customer.id,
  })
  return it.unapproved ? `${acting}. ${words.web.unapproved[it.unapproved]}` : acting
}

function ActingOne(props: { it: RunningImpersonation; name: JSX.Element; session: Session }) {
  const { it, name, session } = props
  const { running, operators } = words.impersonations
  const who = <Actor of={it} unknown={running.unnamed} />
  return (
    <>
      <b>
        {it.isMine ? (
          <Text of={operators.now.you} name={name} />
        ) : (
          <Text of={operators.now.other} operator={who} name={name} />
        )}
      </b>
      <Ticket of={it.ticket} url={it.ticketUrl} />
      {it.application !== undefined && <bdi>{it.application}</bdi>}
      <Badge tone={it.canChange ? 'warning' : 'plain'}>
        {it.canChange ? running.change : running.look}
      </Badge>
      <UnapprovedMark of={it.unapproved} />
      <span>
        <Text of={running.left} time={<Countdown session={session} until={it.expiresAt} />} />
      </span>
    </>
  )
}
