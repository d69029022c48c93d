import type { ComponentChildren } from 'preact'
import type { Customer } from '../../../web/customer-directory.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { Fact } from '../../../web/kit/fact.tsx'
import { NotShown } from '../../../web/kit/frame.tsx'
import { Link, Older } from '../../../web/kit/link.tsx'
import { actPath, customerPath, recordPath } from '../../../web/kit/paths.ts'
import { Actor, actorName, NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Text } from '../../../web/kit/text.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { RecordAnswer } from '../../../web/record-answer.ts'
import type { CustomerPageAnswer } from '../server/customers.ts'
import { ImpersonationRows } from './rows.tsx'
import { RunningLine } from './running.tsx'

/** Addresses up to this length stay on one line of a table. */
const MAX_LENGTH_ON_ONE_LINE = 32
/** No event tells an operator of what others start and end: the page looks again, in seconds. */
const LOOKS_EVERY = 10

/** A customer, with the people who act as them now and who did before. */
export const customerPage: View<CustomerPageAnswer> = (model, at) => {
  const { past, running } = model
  const { audit, operators } = at.words.impersonations
  const { id, name } = model.customer
  const isActing = running.some(({ isMine }) => isMine)
  return {
    title: name,
    back: { to: at.me.role === 'operator' ? '' : '/customers', label: operators.title },
    body: (
      <>
        <ToAct of={model}>
          <div class="actions">
            {/* To act again is not what comes next. */}
            <Link to={actPath(id)} class={isActing ? 'button' : 'button primary'}>
              {text(at, operators.actAs, { name })}
            </Link>
          </div>
        </ToAct>
        <section aria-labelledby="past" class="past">
          <h2 id="past">{operators.past.title}</h2>
          {!past && <NotShown />}
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

type Sought = Pick<CustomerPageAnswer, 'customer' | 'running' | 'stop'>

/**
 * The facts about a customer that the operator compares with the ticket, and the way to act as them, or what
 * keeps the reader from it.
 */
export function ToAct({ of, children }: { of: Sought; children: ComponentChildren }, at: At) {
  const { customer, stop } = of
  const { email, id, name, protected: why } = customer
  const { operators } = at.words.impersonations
  return (
    <>
      <div class="who">
        <p>
          <Email of={email} />
          <bdi class="id">{id}</bdi>
        </p>
        <Details of={customer} />
      </div>
      <ActingNow of={of} />
      {why === undefined ? (
        <Stopped by={stop}>{children}</Stopped>
      ) : (
        <div class="message refused">
          <p>
            {text(at, operators.form.forbidden, { name })} <bdi>{why}</bdi>
          </p>
          <Link to="/customers">{operators.toSearch}</Link>
        </div>
      )}
    </>
  )
}

/** An e-mail address. */
export function Email({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return <bdi class={of.length <= MAX_LENGTH_ON_ONE_LINE ? 'email whole' : 'email'}>{of}</bdi>
}

/** Details that tell customers apart, as the directory of the deployment names them. */
export function Details({ of: { details } }: { of: Customer }) {
  if (!details) return null
  return (
    <dl class="details">
      {Object.entries(details).map(([label, value]) => (
        <Fact key={label} name={label}>
          <bdi>{value}</bdi>
        </Fact>
      ))}
    </dl>
  )
}

/** Says what keeps the reader from starting, with a link to its page. Without a stop: the way to start. */
export function Stopped(
  { by, children }: { by: RecordAnswer | undefined; children?: ComponentChildren },
  at: At,
) {
  const labels = at.words.records.stop
  if (!by) return <>{children}</>
  const sentence = by.customer ? labels.objected : labels.byLead
  const slots = { customer: personName(at, by.customer), person: personName(at, by.by) }
  return (
    <p class="message refused">
      {text(at, sentence, slots)} <Link to={recordPath(by.id)}>{labels.page}</Link>
    </p>
  )
}

/** Others who act as this customer right now: the strip has what the reader runs. */
function ActingNow({ of: { customer, running } }: { of: Sought }, at: At) {
  const { now: labels } = at.words.impersonations.operators
  const { name } = customer
  const others = running.filter(({ isMine }) => !isMine)
  const person = <NamedPerson of={customer} />
  return (
    <div class="acting-now" data-about="*" data-every={LOOKS_EVERY}>
      {others.length > 0 && (
        <ul>
          {others.map((it) => (
            <li key={it.id}>
              <RunningLine of={it}>
                <Text of={labels.other} operator={<Actor of={it} />} name={person} />
              </RunningLine>
            </li>
          ))}
        </ul>
      )}
      {others.length === 0 && running.length > 0 && (
        <p>
          <Text of={labels.onlyYou} name={person} />
        </p>
      )}
      {/* Screen readers hear it when it changes: the time that is left is not in it. */}
      <p role="status" class="unseen">
        {others.map((it) => {
          const acting = text(at, labels.other, { operator: actorName(at, it), name })
          return `${acting}. ${it.unapproved ? `${at.words.web.unapproved[it.unapproved]}. ` : ''}`
        })}
      </p>
    </div>
  )
}
