import { endingOf } from 'oidc-provider-impersonation-verify/format'
import { useEffect, useRef } from 'preact/hooks'
import type { RunningImpersonation } from '../../api/console/answers.ts'
import { AfterRefusal } from '../kit/after-refusal.tsx'
import { Badge, Button, Person } from '../kit/kit.tsx'
import { clearMessage, isShown, say } from '../kit/message.tsx'
import { enderOf } from '../kit/outcome.ts'
import { customerPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { counted, Text, text, words } from '../kit/text.tsx'
import type { Session } from '../session/session.ts'
import { continueOne } from './continuing.ts'
import { Countdown } from './countdown.tsx'
import { end } from './ending.ts'
import { useTitle, useWarnings } from './last-minute.ts'
import type { Live } from './live.ts'
import { type Mine, useMine } from './mine.ts'
import { nameOf } from './names.ts'
import { endLabel } from './running-table.tsx'
import { Ticket } from './ticket.tsx'

/** The strip has room for this many; the page *Running now* has the others. */
const MAX_TICKETS_SHOWN = 3

/** The strip on every page: what the operator runs, the time that is left, and the way on. */
export function MyRunning({ session }: { session: Session }) {
  return session.me.role === 'auditor' ? null : <Strip session={session} />
}

function Strip({ session }: { session: Session }) {
  const { mine, live, hide, continued } = useMine(session)
  useTitle(session, mine)
  useEndsByOthers(live)
  const warning = useWarnings(mine)
  const strip = useRef<HTMLElement>(null)
  const { running } = words.impersonations
  const over = mine.filter(({ phase }) => phase === 'expired')
  const isFolded = over.length > 1
  const alone = isFolded ? mine.filter(({ phase }) => phase !== 'expired') : mine
  const others = alone.length - MAX_TICKETS_SHOWN
  return (
    <>
      <p role="status" class="unseen">
        {warning}
      </p>
      {mine.length > 0 && (
        <section ref={strip} class="my-running" aria-label={running.strip}>
          <ul>
            {isFolded && (
              <li>
                <Folded session={session} over={over} hide={hide} continued={continued} />
              </li>
            )}
            {alone.slice(0, MAX_TICKETS_SHOWN).map((it) => (
              <li key={it.impersonation.id} class={it.phase === 'long' ? undefined : 'urgent'}>
                <One
                  session={session}
                  it={it}
                  onHide={() => hide(it.impersonation.id)}
                  onContinued={() => continued(it.impersonation.id)}
                />
              </li>
            ))}
          </ul>
          {others > 0 && <Link to="/running">{counted(running.others, others)}</Link>}
        </section>
      )}
    </>
  )
}

function One(props: { session: Session; it: Mine; onHide: () => void; onContinued: () => void }) {
  const { session, it, onHide, onContinued } = props
  const { impersonation, phase, canContinue } = it
  const { customer, ticket, ticketUrl, application, canChange, expiresAt } = impersonation
  const { running } = words.impersonations
  const isOver = phase === 'expired'
  const name = nameOf(customer)
  const onContinue = async (access?: 'change') => {
    if (await continueOne(session, impersonation, access)) onContinued()
  }
  return (
    <>
      <b class="acting-as">
        <Text
          of={isOver ? running.acted : running.acting}
          customer={
            <Link to={customerPath(customer.id)}>
              <Person {...customer} />
            </Link>
          }
        />
      </b>
      <Ticket of={ticket} url={ticketUrl} />
      {application !== undefined && <bdi class="application">{application}</bdi>}
      {!isOver && (
        <Badge tone={canChange ? 'warning' : 'plain'}>
          {canChange ? running.change : running.look}
        </Badge>
      )}
      {impersonation.isAfterRefusal && <AfterRefusal />}
      <span class="time-left">
        {isOver ? (
          it.isEnded ? (
            running.over
          ) : (
            words.impersonations.audit.outcomes.expired
          )
        ) : (
          <Text of={running.left} time={<Countdown session={session} until={expiresAt} />} />
        )}
      </span>
      <span class="strip-actions">
        {canContinue && <Continue session={session} it={impersonation} onContinued={onContinued} />}
        {!isOver && it.canWiden && (
          <Button
            label={text(running.withChangesLabel, { customer: name })}
            onPress={() => onContinue('change')}
          >
            {running.withChanges}
          </Button>
        )}
        {it.phase === 'long' && (
          <Button
            kind="quiet"
            label={text(running.continueInTabLabel, { customer: name })}
            onPress={() => onContinue()}
          >
            {running.continueInTab}
          </Button>
        )}
        {isOver ? (
          <Button
            kind="quiet"
            label={text(running.notNeededLabel, { customer: name })}
            onPress={onHide}
          >
            {running.notNeeded}
          </Button>
        ) : (
          <Button
            kind="danger"
            label={endLabel(impersonation)}
            onPress={() => end(session, impersonation)}
          >
            {running.end}
          </Button>
        )}
      </span>
    </>
  )
}

function Continue(props: {
  session: Session
  it: RunningImpersonation
  isNamed?: boolean
  onContinued: () => void
}) {
  const { session, it, isNamed, onContinued } = props
  const { running } = words.impersonations
  const slots = { ticket: it.ticket ?? '', customer: nameOf(it.customer) }
  const hasTicket = it.ticket !== undefined
  const label = text(hasTicket ? running.continueLabel : running.continueNoTicketLabel, slots)
  return (
    <Button
      label={label}
      onPress={async () => {
        if (await continueOne(session, it)) onContinued()
      }}
    >
      {isNamed ? label : text(hasTicket ? running.continue : running.continueNoTicket, slots)}
    </Button>
  )
}

/** Several that are over, in one line. */
function Folded(props: {
  session: Session
  over: readonly Mine[]
  hide: (id: string) => void
  continued: (id: string) => void
}) {
  const { session, over, hide, continued } = props
  const { running } = words.impersonations
  return (
    <>
      <b class="acting-as">{counted(running.overMany, over.length)}</b>
      <span class="strip-actions">
        {over.slice(-MAX_TICKETS_SHOWN).map(({ impersonation: it }) => (
          <Continue
            key={it.id}
            session={session}
            it={it}
            isNamed
            onContinued={() => continued(it.id)}
          />
        ))}
        <Button
          kind="quiet"
          onPress={() => {
            for (const { impersonation } of over) hide(impersonation.id)
          }}
        >
          {running.notNeeded}
        </Button>
      </span>
    </>
  )
}

/**
 * Says it, where another person or the provider ended what this operator ran. Where they did it in the
 * application, *Shop is open in a new tab* goes.
 */
function useEndsByOthers({ gone }: Live): void {
  const seen = useRef<ReadonlySet<string>>()
  useEffect(() => {
    const before = seen.current
    const known = gone.filter(({ outcome }) => outcome !== undefined)
    seen.current = new Set(known.map(({ impersonation }) => impersonation.id))
    // What was over before the strip was shown is no news.
    if (!before) return
    for (const { impersonation, end, isByReader, isObjected } of known) {
      if (before.has(impersonation.id) || !impersonation.isMine) continue
      const customer = nameOf(impersonation.customer)
      const { application = '' } = impersonation
      // That the application is open is no longer true.
      if (isShown(text(words.impersonations.operators.started, { application, name: customer }))) {
        if (isByReader) say('done', text(words.impersonations.running.ended, { customer }))
        else clearMessage()
      }
      if (isByReader) continue
      const { overBy } = words.impersonations.running
      const known: Readonly<Record<string, string>> = overBy
      const ending = endingOf({ end, operator: impersonation.operator })
      const hasNote = ending === 'other' && end?.reason !== undefined
      const told = ending === 'user' && isObjected ? 'objected' : ending
      const template = known[hasNote ? 'otherWith' : (told ?? '')]
      const slots = { customer, person: enderOf({ end }), note: end?.reason ?? '' }
      if (template) say('refused', text(template, slots))
    }
  }, [gone])
}
