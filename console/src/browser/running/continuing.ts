import type { HandOver, RunningImpersonation } from '../../api/answers.ts'
import { handOver } from '../hand-over.ts'
import { say } from '../message.tsx'
import { actPath } from '../paths.ts'
import { go } from '../router.tsx'
import type { Session } from '../session.ts'
import { words } from '../text.tsx'
import { nameOf } from './names.ts'

/** Asks for a new impersonation with the same ticket, and opens the application again. */
export async function continueOne(
  session: Session,
  it: RunningImpersonation,
): Promise<HandOver | undefined> {
  return handOver(session, {
    name: nameOf(it.customer),
    ask: () =>
      session.ask<HandOver>(`/impersonations/${encodeURIComponent(it.id)}/continue`, {
        method: 'POST',
      }),
    onProblem: ({ status, error }) => {
      if (status !== 404 || error === 'user_not_found') return false
      say('refused', words.running.continueGone, {
        label: words.running.toForm,
        run: () => go(actPath(it.customer.id, it)),
      })
      return true
    },
    again: () => continueOne(session, it),
  })
}
