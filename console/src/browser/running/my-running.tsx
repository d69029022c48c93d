import { useEffect, useRef } from 'preact/hooks'
import { Badge, Button, Person } from '../kit/kit.tsx'
import { clearMessage, isShown, say } from '../kit/message.tsx'
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
  const { running } = words
  const others = mine.length - MAX_TICKETS_SHOWN
  return (
    <>
      <p role="status" class="unseen">
        {warning}
      </p>
      {mine.length > 0 && (
        <section ref={strip} class="my-running" aria-label={running.strip}>
          <ul>
            {mine.slice(0, MAX_TICKETS_SHOWN).map((it) => (
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
  const { running } = words
  const isOver = phase === 'expired'
  const name = nameOf(customer)
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
      <span class="time-left">
        {isOver ? (
          words.audit.outcomes.expired
        ) : (
          <Text of={running.left} time={<Countdown session={session} until={expiresAt} />} />
        )}
      </span>
      <span class="strip-actions">
        {canContinue && (
          <Button
            label={
              ticket === undefined
                ? text(running.continueNoTicketLabel, { customer: name })
                : text(running.continueLabel, { ticket, customer: name })
            }
            onPress={async () => {
              if (await continueOne(session, impersonation)) onContinued()
            }}
          >
            {ticket === undefined ? running.continueNoTicket : text(running.continue, { ticket })}
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
    for (const { impersonation, outcome, isByReader } of known) {
      if (before.has(impersonation.id) || !impersonation.isMine) continue
      const customer = nameOf(impersonation.customer)
      const { application = '' } = impersonation
      // That the application is open is no longer true.
      if (isShown(text(words.operators.started, { application, name: customer }))) {
        if (isByReader) say('done', text(words.running.ended, { customer }))
        else clearMessage()
      }
      if (isByReader) continue
      const { overBy } = words.running
      const known: Readonly<Record<string, string>> = overBy
      const template = outcome && Object.hasOwn(known, outcome) ? known[outcome] : undefined
      if (template) say('refused', text(template, { customer }))
    }
  }, [gone])
}
