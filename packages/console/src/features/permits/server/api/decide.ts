import { isPermit, present } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { Read } from '../../../../kernel/input.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { PermitError } from '../../../../records/errors.ts'
import { permitAt } from '../../../../records/record-at.ts'
import { optionalNote } from '../../../../web/http/json-body.ts'
import { notFound } from '../../../../web/http/problem.ts'
import type { PermitAnswer } from './answers.ts'
import { type PermitCall, requirePermits, shownPermit } from './shown.ts'

export const DECISION = { note: optionalNote }

const EVENT_OF = {
  grant: 'granted',
  refuse: 'declined',
  review: 'reviewed',
  revoke: 'revoked',
} as const

/** Decides on a permit. It is read, and who may decide is asked, by the decision alone. */
export function decide(
  method: keyof typeof EVENT_OF,
): (call: PermitCall & { readonly body: Read<typeof DECISION> }) => Promise<PermitAnswer> {
  return async (call) => {
    const { body, caller } = call
    const permits = requirePermits(call)
    const { note } = body
    const id = call.param('id')
    if (!isId(id)) throw notFound('there is no such permit')
    const saying = { by: caller.id, ...present({ note }) }
    const said = await permits.records
      .say(id, EVENT_OF[method], saying)
      .catch((error: unknown) => Promise.reject(visibleError(error, call)))
    if (!isPermit(said)) throw notFound('there is no such permit')
    // Who decided may decide; on their own, nobody does.
    const approvers = [{ id: caller.id }]
    return shownPermit({ permit: permitAt(said, call.now()), approvers }, call)
  }
}

/** Who may not decide on a permit of others, and supervises nobody, is not told that it is there. */
function visibleError(error: unknown, { caller }: PermitCall): unknown {
  if (!(error instanceof PermitError) || error.error !== 'access_denied') return error
  const isShown = isAudited(caller.role) || error.permit?.operator.id === caller.id
  return isShown ? error : notFound('there is no such permit')
}
