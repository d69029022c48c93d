import { endingOf } from 'oidc-provider-impersonation-verify/format'
import { useEffect, useRef } from 'preact/hooks'
import type { RunningImpersonation } from '../../../../web/answers.ts'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Button } from '../../../../web/kit/button.tsx'
import { clearMessage, isShown, say } from '../../../../web/kit/message.tsx'
import { nameOf, operatorName } from '../../../../web/kit/names.ts'
import { enderOf } from '../../../../web/kit/outcome.ts'
import { customerPath } from '../../../../web/kit/paths.ts'
import { Person } from '../../../../web/kit/person.tsx'
import { Link } from '../../../../web/kit/router.tsx'
import { Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { UnapprovedMark } from '../../../../web/kit/unapproved.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { Continue } from './continue.tsx'
import { continueOne } from './continuing.ts'
import { Countdown } from './countdown.tsx'
import { end } from './ending.ts'
import { useTitle, useWarnings } from './last-minute.ts'
import type { Live } from './live.ts'
import { type Mine, markContinued, useMine } from './mine.ts'

/** The strip on every page: what the operator runs, the time that is left, and the way on. */
export function MyRunning({ session }: { session: Session }) {
  return session.me.role === 'auditor' ? null : <Strip session={session} />
}

function Strip({ session }: { session: Session }) {
  const { mine, live } = useMine(session)
  useTitle(session, mine)
  useEndsByOthers(live)
  const warning = useWarnings(mine)
  const { running } = words.impersonations
  const shown = mine.filter(({ phase }) => phase !== 'expired')
  return (
    <>
      <p role="status" class="unseen">
        {warning}
      </p>
      {shown.length > 0 && (
        <section class="my-running" aria-label={running.strip}>
          <ul>
            {shown.map((it) => (
              <li key={it.impersonation.id}>
                <One session={session} it={it} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function One({ session, it }: { session: Session; it: Mine }) {
  const { impersonation, canContinue, canWiden } = it
  const { customer, ticket, ticketUrl, application, canChange, expiresAt } = impersonation
  const { running } = words.impersonations
  const name = nameOf(customer)
  const onContinue = async (access?: 'change') => {
    if (await continueOne(session, impersonation, access)) markContinued(session, impersonation)
  }
  return (
    <>
      <b class="acting-as">
        <Text
          of={running.acting}
          customer={
            <Link to={customerPath(customer.id)}>
              <Person {...customer} />
            </Link>
          }
        />
      </b>
      <Ticket of={ticket} url={ticketUrl} />
      {application !== undefined && <bdi class="application">{application}</bdi>}
      <Badge tone={canChange ? 'warning' : 'plain'}>
        {canChange ? running.change : running.look}
      </Badge>
      <UnapprovedMark of={impersonation.unapproved} />
      <span class="time-left">
        <Text of={running.left} time={<Countdown session={session} until={expiresAt} />} />
      </span>
      <span class="strip-actions">
        {canContinue && <Continue session={session} it={impersonation} />}
        {canWiden && (
          <Button
            label={text(running.withChangesLabel, { customer: name })}
            onPress={() => onContinue('change')}
          >
            {running.withChanges}
          </Button>
        )}
        <Button
          kind="danger"
          label={endLabel(impersonation)}
          onPress={() => end(session, impersonation)}
        >
          {running.end}
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

function endLabel(it: RunningImpersonation): string {
  const customer = nameOf(it.customer)
  return it.isMine
    ? text(words.impersonations.running.endMine, { customer })
    : text(words.impersonations.running.endOf, { operator: operatorName(it), customer })
}
