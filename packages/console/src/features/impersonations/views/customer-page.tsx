import type { ComponentChildren } from 'preact'
import type { CustomerAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Link, Older } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import { Actor, actorName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { StopLine } from '../../../web/kit/stopped.tsx'
import { Text } from '../../../web/kit/text.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { RecordAnswer } from '../../../web/record-answer.ts'
import type { CustomerPageAnswer } from '../server/customers.ts'
import type { RunningImpersonation } from '../server/running.ts'
import { ImpersonationRows } from './rows.tsx'
import { RunningLine } from './running.tsx'

/** Addresses up to this length stay on one line of a table. */
const MAX_LENGTH_ON_ONE_LINE = 32
/** No event tells an operator of what others start and end: the page looks again, in seconds. */
const LOOKS_EVERY = 10

/** A customer, with the people who act as them now and who did before. */
export const customerPage: View<CustomerPageAnswer> = ({ customer, running, stop, past }, at) => {
  const { audit, operators } = at.words.impersonations
  const { id, name } = customer
  const isActing = running.some(({ isMine }) => isMine)
  return {
    title: name,
    back: { to: at.me.role === 'operator' ? '' : '/customers', label: operators.title },
    body: (
      <>
        <Who customer={customer} />
        <UnlessKept customer={customer} stop={stop}>
          <div class="actions">
            {/* To act again is not what comes next. */}
            <Link to={actPath(id)} class={isActing ? 'button' : 'button primary'}>
              {text(at, operators.actAs, { name })}
            </Link>
          </div>
        </UnlessKept>
        <ActingNow customer={customer} running={running} />
        <section aria-labelledby="past" class="past">
          <h2 id="past">{operators.past.title}</h2>
          {!past && <p class="message trouble">{at.words.web.problems.notShown}</p>}
          {past?.rows.length === 0 && (
            <p class="empty">{text(at, operators.past.none, { name })}</p>
          )}
          {past && past.rows.length > 0 && <ImpersonationRows rows={past.rows} />}
          <Older to={customerPath(id)} next={past?.next} label={audit.older} />
        </section>
      </>
    ),
  }
}

/** The facts about a customer that the operator compares with the ticket. */
export function Who({ customer }: { customer: CustomerAnswer }) {
  return (
    <div class="who">
      <p>
        <Email of={customer.email} />
        <bdi class="id">{customer.id}</bdi>
      </p>
      <Details of={customer} />
    </div>
  )
}

/** An e-mail address. */
export function Email({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return <bdi class={of.length <= MAX_LENGTH_ON_ONE_LINE ? 'email whole' : 'email'}>{of}</bdi>
}

/** Details that tell customers apart, as the directory of the deployment names them. */
export function Details({ of: { details } }: { of: CustomerAnswer }) {
  if (!details) return null
  return (
    <dl class="details">
      {Object.entries(details).map(([label, value]) => (
        <div key={label}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The way to act as a customer, or what keeps the reader from it. */
export function UnlessKept(
  props: {
    customer: CustomerAnswer
    stop: RecordAnswer | undefined
    children: ComponentChildren
  },
  at: At,
) {
  const { customer, stop, children } = props
  const { protected: why, name } = customer
  const { operators } = at.words.impersonations
  if (why === undefined && !stop) return <>{children}</>
  return (
    <div class="message refused">
      {stop && why === undefined ? (
        <StopLine stop={stop} />
      ) : (
        <>
          <p>
            {text(at, operators.form.forbidden, { name })} <bdi>{why}</bdi>
          </p>
          <Link to="/customers">{operators.toSearch}</Link>
        </>
      )}
    </div>
  )
}

/** Others who act as this customer right now: the strip has what the reader runs. */
export function ActingNow(
  { customer, running }: { customer: CustomerAnswer; running: readonly RunningImpersonation[] },
  at: At,
) {
  const { now: labels } = at.words.impersonations.operators
  const others = running.filter(({ isMine }) => !isMine)
  const name = <Person id={customer.id} name={customer.name} />
  return (
    <div class="acting-now" data-about="*" data-every={LOOKS_EVERY}>
      {others.length > 0 && (
        <ul>
          {others.map((it) => (
            <li key={it.id}>
              <RunningLine of={it}>
                <Text of={labels.other} operator={<Actor of={it} />} name={name} />
              </RunningLine>
            </li>
          ))}
        </ul>
      )}
      {others.length === 0 && running.length > 0 && (
        <p>
          <Text of={labels.onlyYou} name={name} />
        </p>
      )}
      <p role="status" class="unseen">
        {others.map((it) => `${sentence(at, it, customer)}. `)}
      </p>
    </div>
  )
}

/** Screen readers hear it when it changes. The time that is left changes each second: it is not in it. */
function sentence(at: At, it: RunningImpersonation, { name }: CustomerAnswer): string {
  const { now: labels } = at.words.impersonations.operators
  const acting = text(at, labels.other, { operator: actorName(at, it), name })
  const { unapproved } = it
  return unapproved ? `${acting}. ${at.words.web.unapproved[unapproved]}` : acting
}
