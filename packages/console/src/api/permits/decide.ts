import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { parseOptionalText, readBody } from '../../http/json-body.ts'
import type { Call } from '../parts.ts'
import type { PermitAnswer } from './answers.ts'
import { findPermit } from './lists.ts'
import { permitting, requirePermits, shownPermit } from './shown.ts'

/** `POST /permits/:id/grant`, `/refuse`, `/lift`, `/revoke` and `/review` */
export function decide(
  method: 'grant' | 'lift' | 'refuse' | 'review' | 'revoke',
): (call: Call) => Promise<void> {
  return async (call) => {
    const permits = requirePermits(call)
    const note = parseOptionalText(await readBody(call.ctx, 'note'), 'note', MAX_NOTE_LENGTH)
    const { permit, approvers } = await findPermit(call)
    const by = call.caller.id
    const decided = await permitting(() =>
      method === 'review'
        ? permits.review(permit.id, { by, note: note ?? '' })
        : permits[method](permit.id, { by, ...(note === undefined ? {} : { note }) }),
    )
    call.ctx.body = shownPermit({ permit: decided, approvers }, call) satisfies PermitAnswer
  }
}
