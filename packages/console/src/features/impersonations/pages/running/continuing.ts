import type { HandOver, RunningImpersonation } from '../../../../web/answers.ts'
import { say } from '../../../../web/kit/message.tsx'
import { nameOf } from '../../../../web/kit/names.ts'
import { actPath } from '../../../../web/kit/paths.ts'
import { go } from '../../../../web/kit/router.tsx'
import { words } from '../../../../web/kit/text.tsx'
import { serverTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { handOver } from './hand-over.ts'
import { liveOf } from './live.ts'

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
