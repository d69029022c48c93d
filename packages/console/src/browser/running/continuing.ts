import type { HandOver, RunningImpersonation } from '../../api/console/answers.ts'
import { say } from '../kit/message.tsx'
import { actPath } from '../kit/paths.ts'
import { go } from '../kit/router.tsx'
import { words } from '../kit/text.tsx'
import { serverTime } from '../session/clock.ts'
import type { Session } from '../session/session.ts'
import { handOver } from './hand-over.ts'
import { liveOf } from './live.ts'
import { nameOf } from './names.ts'

/**
 * Asks for a new impersonation with the same ticket, and opens the application again.
 *
 * @param access wider than before
 */
export async function continueOne(
  session: Session,
  it: RunningImpersonation,
  access?: 'change',
): Promise<HandOver | undefined> {
  return handOver(session, {
    name: nameOf(it.customer),
    ask: async () => {
      const path = `/impersonations/${encodeURIComponent(it.id)}/continue`
      const answer = await session.ask<HandOver>(path, { method: 'POST', body: { access } })
      // The API has ended the first one, unless its time was over.
      if (it.expiresAt > serverTime(session)) liveOf(session).ended(it)
      return answer
    },
    onProblem: ({ status, error }) => {
      const { running } = words.impersonations
      const isGone = (status === 404 || status === 409) && error !== 'user_not_found'
      const needsApproval = error === 'approval_required'
      if (!isGone && !needsApproval) return false
      // Wider access is what the form asks for then.
      const wider = access ?? (it.canChange ? 'change' : undefined)
      say('refused', needsApproval ? running.continueNeeds : running.continueGone, {
        label: running.toForm,
        run: () => go(actPath(it.customer.id, { ...it, access: wider })),
      })
      return true
    },
    again: () => continueOne(session, it, access),
  })
}
