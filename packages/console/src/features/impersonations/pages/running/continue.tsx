import type { RunningImpersonation } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { nameOf } from '../../../../web/kit/names.ts'
import { text, words } from '../../../../web/kit/text.tsx'
import type { Session } from '../../../../web/session/session.ts'
import { continueOne } from './continuing.ts'
import { markContinued } from './mine.ts'

const { running: labels } = words.impersonations

/** Goes on with one. */
export function Continue({ session, it }: { session: Session; it: RunningImpersonation }) {
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
      {text(hasTicket ? labels.continue : labels.continueNoTicket, slots)}
    </Button>
  )
}
