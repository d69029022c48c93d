import type { CustomerAnswer, RunningImpersonation } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Badge } from '../../../web/kit/badge.tsx'
import { Actor, actorName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Countdown } from '../../../web/kit/time.tsx'
import { UnapprovedMark } from '../../../web/kit/unapproved.tsx'

/** No event tells an operator of what others start and end: the page looks again, in seconds. */
const LOOKS_EVERY = 10

/**
 * Who acts as this customer right now. Screen readers hear when that changes.
 *
 * @param props.others only other operators: the strip has what the reader runs
 */
export function ActingNow(
  props: {
    customer: CustomerAnswer
    running: readonly RunningImpersonation[]
    others?: true
  },
  at: At,
) {
  const { customer, running, others } = props
  const { now: labels } = at.words.impersonations.operators
  const ofOthers = running.filter(({ isMine }) => !isMine)
  const shown = others ? ofOthers : running
  const isOther = ofOthers.length > 0
  return (
    <div
      class={isOther ? 'acting-now other' : 'acting-now'}
      data-about="*"
      data-every={LOOKS_EVERY}
    >
      {!isOther && running.length > 0 && (
        <p>
          <Text of={labels.onlyYou} name={<Person id={customer.id} name={customer.name} />} />
        </p>
      )}
      {shown.length > 0 && (
        <ul>
          {shown.map((it) => (
            <li key={it.id}>
              <ActingOne it={it} customer={customer} />
            </li>
          ))}
        </ul>
      )}
      <p role="status" class="unseen">
        {ofOthers.map((it) => `${sentence(at, it)}. `)}
      </p>
    </div>
  )
}

/** For screen readers, without the time that is left: that changes each second. */
function sentence(at: At, it: RunningImpersonation): string {
  const acting = text(at, at.words.impersonations.operators.now.other, {
    operator: actorName(at, it),
    name: it.customer.name ?? it.customer.id,
  })
  return it.unapproved ? `${acting}. ${at.words.web.unapproved[it.unapproved]}` : acting
}

function ActingOne(
  { it, customer }: { it: RunningImpersonation; customer: CustomerAnswer },
  { words }: At,
) {
  const { running, operators } = words.impersonations
  return (
    <>
      <b>
        <Text
          of={it.isMine ? operators.now.you : operators.now.other}
          operator={<Actor of={it} />}
          name={<Person id={customer.id} name={customer.name} />}
        />
      </b>
      <Ticket of={it.ticket} url={it.ticketUrl} />
      {it.application !== undefined && <bdi>{it.application}</bdi>}
      <Badge tone={it.canChange ? 'warning' : 'plain'}>
        {it.canChange ? running.change : running.look}
      </Badge>
      <UnapprovedMark of={it.unapproved} />
      <span>
        <Text of={running.left} time={<Countdown until={it.expiresAt} />} />
      </span>
    </>
  )
}
