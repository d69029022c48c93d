import { endingOf } from 'oidc-provider-impersonation-verify/format'
import type { RowAnswer } from '../../../web/answers.ts'
import { type At, text } from '../../../web/kit/at.ts'
import { ActionButton } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { actPath, customerPath } from '../../../web/kit/paths.ts'
import { NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Said, Text, Ticket } from '../../../web/kit/text.tsx'
import type { View } from '../../../web/pages/table.ts'
import type { showContinue } from '../server/continue.ts'
import { LAST_MINUTE, type StripAnswer } from '../server/strip.ts'
import { personOfRow } from './rows.tsx'
import { EndButton, RunningLine } from './running.tsx'

type MyRunning = StripAnswer['running'][number]
type WayOnAnswer = MyRunning['goOn']

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
          <OverBy key={it.id} of={it} />
        ))}
      </div>
      {over.length > 0 && !at.here.startsWith('/continue/') && (
        <section class="over-line" aria-label={labels.overTitle}>
          <ul>
            {over.map((it) => (
              <li key={it.id}>
                <span>
                  <Text of={labels.acted} customer={<NamedPerson of={it.customer} />} />
                </span>
                <Ticket of={it} />
                <WayOn of={it} way={it.goOn} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Running({ of: it }: { of: MyRunning }, at: At) {
  const { customer, expiresAt, goOn, widen } = it
  const lastMinute = expiresAt - LAST_MINUTE
  return (
    <li>
      {lastMinute > at.now && <time hidden data-until={lastMinute} />}
      <RunningLine of={it}>
        <Text
          of={at.words.impersonations.running.acting}
          customer={
            <Link to={customerPath(customer.id)}>
              <NamedPerson of={customer} />
            </Link>
          }
        />
      </RunningLine>
      <span class="strip-actions">
        <WayOn of={it} way={goOn} />
        <WayOn of={it} way={widen} access="change" />
        <EndButton of={it} id={`strip-${it.id}`} />
      </span>
    </li>
  )
}

/** Slots of the sentences. An impersonation without a ticket cannot be continued. */
function slotsOf(at: At, { customer, ticket = '' }: RowAnswer) {
  return { customer: personName(at, customer), ticket }
}

/** Goes on with the same ticket, or from looking to changing. What needs an approval is asked for in the form. */
function WayOn(
  props: { of: RowAnswer; way: WayOnAnswer; access?: 'change'; isFirst?: true },
  at: At,
) {
  const { of: it, way, access, isFirst } = props
  const { running } = at.words.impersonations
  const slots = slotsOf(at, it)
  const label = text(at, access ? running.withChangesLabel : running.continueLabel, slots)
  const words = access ? running.withChanges : text(at, running.continue, slots)
  if (way === 'needs') {
    return (
      <Link to={toAct(it, access)} class="button plain" label={label}>
        {words}
      </Link>
    )
  }
  if (way !== 'allowed') return null
  return (
    <ActionButton
      opens
      autofocus={isFirst}
      kind={isFirst ? 'primary' : 'plain'}
      action={`/impersonations/${it.id}/continue`}
      label={label}
      fields={access ? { access } : {}}
    >
      {words}
    </ActionButton>
  )
}

/** The form to act, with what was typed for an impersonation. */
const toAct = ({ customer, ticket, reason }: RowAnswer, access: 'change' | undefined) =>
  actPath(customer?.id ?? '', { ticket, reason, access })

/** Says by whom or what it was ended, and their note. */
function OverBy({ of: it }: { of: RowAnswer }, at: At) {
  const { events, running } = at.words.impersonations
  const { customer, end, objection } = it
  const ended = events['impersonation.ended'][endingOf(it) ?? 'provider']
  const person = objection ? customer : personOfRow(it, end?.by, end?.name)
  return (
    <p class="message refused">
      {text(at, running.overBy, { customer: personName(at, customer) })}{' '}
      <Text
        of={objection ? events['support.objected'] : ended}
        person={<NamedPerson of={person} />}
      />{' '}
      <Said of={end?.reason} />
    </p>
  )
}

/** The page to which an application leads after a reload: one press goes on. */
export const continuePage: View<Awaited<ReturnType<typeof showContinue>>> = (model, { words }) => {
  const { row, wayOn } = model
  const { running } = words.impersonations
  return {
    title: running.continuePage.title,
    isNarrow: true,
    body: (
      <>
        {wayOn && (
          <p>
            <Text of={running.acted} customer={<NamedPerson of={row.customer} />} />{' '}
            <Ticket of={row} /> <bdi class="free">{row.reason}</bdi>
          </p>
        )}
        {wayOn === 'refused' && <p>{running.continueGone}</p>}
        <div class="actions">
          <WayOn isFirst of={row} way={wayOn} />
          <Link to={toAct(row, row.canChange ? 'change' : undefined)}>{running.toForm}</Link>
        </div>
      </>
    ),
  }
}
