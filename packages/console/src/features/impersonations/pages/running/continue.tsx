import type { RunningImpersonation } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { nameOf } from '../../../../web/kit/names.ts'
import { Person } from '../../../../web/kit/person.tsx'
import { counted, Text, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { continueOne } from './continuing.ts'
import { markContinued, useOver } from './mine.ts'

const { running: labels } = words.impersonations

/** So many are offered at once: the page *What I did* has the others. */
const MAX_CONTINUES_SHOWN = 3

/** Goes on with one. */
export function Continue(props: { session: Session; it: RunningImpersonation; isNamed?: boolean }) {
  const { session, it, isNamed } = props
  const slots = { ticket: it.ticket ?? '', customer: nameOf(it.customer) }
  const hasTicket = it.ticket !== undefined
  const label = text(hasTicket ? labels.continueLabel : labels.continueNoTicketLabel, slots)
  return (
    <Button
      label={label}
      onPress={async () => {
        if (await continueOne(session, it)) markContinued(session, it)
      }}
    >
      {isNamed ? label : text(hasTicket ? labels.continue : labels.continueNoTicket, slots)}
    </Button>
  )
}

/** What is over, and can be continued: one line. Nothing runs, so it is quiet. */
export function OverLine({ session }: { session: Session }) {
  const over = useOver(session)
  const [first] = over
  if (!first) return null
  const isOne = over.length === 1
  return (
    <section class="over-line" aria-label={labels.overTitle}>
      <p>
        {isOne ? (
          <>
            <Text of={labels.acted} customer={<Person {...first.customer} />} />{' '}
            <Ticket of={first.ticket} url={first.ticketUrl} />
          </>
        ) : (
          counted(labels.overMany, over.length)
        )}
      </p>
      {over.slice(-MAX_CONTINUES_SHOWN).map((it) => (
        <Continue key={it.id} session={session} it={it} isNamed={!isOne} />
      ))}
    </section>
  )
}
