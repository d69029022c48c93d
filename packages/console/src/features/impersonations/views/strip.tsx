import { type Ending, endingOf } from 'oidc-provider-impersonation-verify/format'
import { type At, text } from '../../../web/kit/at.ts'
import { ActionButton } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import { personName } from '../../../web/kit/people.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Text } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { showContinue } from '../server/continue.ts'
import { LAST_MINUTE, type StripAnswer } from '../server/strip.ts'
import { EndButton, RunningLine } from './running.tsx'

type MyRunning = StripAnswer['running'][number]
type MyOver = StripAnswer['stopped'][number]
type Continued = Pick<MyOver, 'customer' | 'id' | 'ticket'>

/** Below the head of every page: what the reader runs, the time that is left, and the way on. */
export function Strip({ of: { running, over, stopped } }: { of: StripAnswer }, at: At) {
  const labels = at.words.impersonations.running
  return (
    // The way on depends on approvals and stops, too.
    <div data-about={over.length > 0 ? '*' : 'running'}>
      <p role="status" class="unseen">
        {running.map((it) => it.goOn === 'allowed' && text(at, labels.minuteLeft, slotsOf(at, it)))}
      </p>
      {running.length > 0 && (
        <section class="my-running" aria-label={labels.strip}>
          <ul>
            {running.map((it) => (
              <Running key={it.id} of={it} />
            ))}
          </ul>
        </section>
      )}
      {/* It is there before its texts: screen readers hear what comes. */}
      <div role="status">
        {stopped.map((it) => (
          <p key={it.id} class="message refused">
            {stoppedText(at, it)}
          </p>
        ))}
      </div>
      {over.length > 0 && !at.here.startsWith('/continue/') && (
        <section class="over-line" aria-label={labels.overTitle}>
          <ul>
            {over.map((it) => (
              <li key={it.id}>
                <span>
                  <Text of={labels.acted} customer={<Person {...it.customer} />} />
                </span>
                <Ticket of={it} />
                <ContinueButton of={it} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Running({ of: it }: { of: MyRunning }, at: At) {
  const { customer, expiresAt, goOn } = it
  const lastMinute = expiresAt - LAST_MINUTE
  return (
    <li>
      {lastMinute > at.now && <time hidden data-until={lastMinute} />}
      <RunningLine of={it}>
        <Text
          of={at.words.impersonations.running.acting}
          customer={
            <Link to={customerPath(customer.id)}>
              <Person {...customer} />
            </Link>
          }
        />
      </RunningLine>
      <span class="strip-actions">
        {goOn === 'allowed' && <ContinueButton of={it} />}
        <WidenButton of={it} />
        <EndButton of={it} id={`strip-${it.id}`} />
      </span>
    </li>
  )
}

/** Goes on with the same ticket. */
function ContinueButton({ of: it, isFirst }: { of: Continued; isFirst?: true }, at: At) {
  const labels = at.words.impersonations.running
  const slots = slotsOf(at, it)
  return (
    <ActionButton
      opens
      {...(isFirst && { autofocus: true, kind: 'primary' })}
      action={`/impersonations/${it.id}/continue`}
      label={text(at, labels.continueLabel, slots)}
    >
      {text(at, labels.continue, slots)}
    </ActionButton>
  )
}

/** Slots of the sentences. An impersonation without a ticket cannot be continued. */
function slotsOf(at: At, { customer, ticket = '' }: Continued) {
  return { customer: personName(at, customer), ticket }
}

/** From looking to changing. What needs an approval is asked for in the form. */
function WidenButton({ of: it }: { of: MyRunning }, at: At) {
  const { withChanges, withChangesLabel } = at.words.impersonations.running
  const { id, customer, ticket = '', reason = '', widen } = it
  const access = 'change'
  const label = text(at, withChangesLabel, slotsOf(at, it))
  if (widen === 'needs') {
    return (
      <Link
        to={actPath(customer.id, { ticket, reason, access })}
        class="button plain"
        label={label}
      >
        {withChanges}
      </Link>
    )
  }
  if (widen !== 'allowed') return null
  return (
    <ActionButton opens action={`/impersonations/${id}/continue`} label={label} fields={{ access }}>
      {withChanges}
    </ActionButton>
  )
}

/** Says by whom or what it was ended, and their note. */
function stoppedText(at: At, { customer, end, objection, operator }: MyOver): string {
  const { overBy } = at.words.impersonations.running
  const sentences: Readonly<Partial<Record<Ending, string>>> = {
    ...overBy,
    user: objection ? overBy.objected : overBy.user,
    other: end?.reason === undefined ? overBy.other : overBy.otherWith,
  }
  return text(at, sentences[endingOf({ end, operator }) ?? 'provider'] ?? overBy.provider, {
    customer: personName(at, customer),
    note: end?.reason ?? '',
    person: end?.name ?? end?.by ?? '',
  })
}

/** The page to which an application leads after a reload: one press goes on. */
export const continuePage: View<Awaited<ReturnType<typeof showContinue>>> = (model, { words }) => {
  const { row, canChange, wayOn } = model
  const { customer, ticket = '', reason = '' } = row
  const { running } = words.impersonations
  const access = canChange ? 'change' : undefined
  return {
    title: running.continuePage.title,
    isNarrow: true,
    body: (
      <>
        {wayOn && (
          <p>
            <Text of={running.acted} customer={<Person {...customer} />} /> <Ticket of={row} />{' '}
            <bdi class="free">{reason}</bdi>
          </p>
        )}
        {wayOn === 'refused' && <p>{running.continueGone}</p>}
        {wayOn === 'needs' && <p>{running.continueNeeds}</p>}
        <div class="actions">
          {wayOn === 'allowed' && <ContinueButton of={row} isFirst />}
          <Link to={actPath(customer.id, { ticket, reason, access })}>{running.toForm}</Link>
        </div>
      </>
    ),
  }
}
