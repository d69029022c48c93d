import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../../kernel/log-line.ts'
import type { PermitAnswer } from './answers.ts'
import { type PermitCall, shownPermit } from './shown.ts'

/** How long the operator is told of a refusal, in milliseconds. */
const TOLD_MS = 600_000

/**
 * Requests of the caller: those that wait, those that were approved and not used, and those that were refused a moment
 * ago. Without them, every page is shown as well.
 *
 * @param used the permits under which the caller has started
 */
export async function findDecided(
  call: PermitCall,
  used: readonly string[],
): Promise<readonly PermitAnswer[]> {
  const { caller, now, permits } = call
  if (!permits) return []
  try {
    const found = await permits.list({ operator: caller.id, isOpen: true })
    return found.permits
      .filter(({ id, kind, state, decisions }) => {
        if (kind !== 'approval' || used.includes(id)) return false
        const isNew = decisions.some(({ at }) => at > now() - TOLD_MS)
        return state === 'requested' || state === 'granted' || (state === 'refused' && isNew)
      })
      .map((permit) => shownPermit({ permit, approvers: [] }, call))
  } catch (error) {
    log(`what was decided for an operator cannot be read: ${reasonOf(error)}`)
    return []
  }
}
