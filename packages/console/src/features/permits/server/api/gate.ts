import { PermitError } from '../../../../records/errors.ts'
import type { ActBody } from '../../../../web/answers.ts'
import type { AskedFor, Call, Gate } from '../../../../web/parts.ts'
import { approvalOf, factsOf, withApproval } from './approval.ts'
import { assertNotPaused, findOwnPause, pausedProblem } from './pauses.ts'
import { type PermitCall, type PermitParts, requirePermits } from './shown.ts'

/** What stands before a start, by permits and pauses. */
export function permitGate(parts: PermitParts): Gate {
  const own = (call: Call): PermitCall => ({ ...call, ...parts })
  return {
    hasPermits: parts.permits !== undefined,
    findPause: (call, customer) => findOwnPause(own(call), customer),
    assertNotPaused: (call, customer) => assertNotPaused(own(call), customer),
    pausedProblem,
    withPermitsReason: (asked, call) => withPermitsReason(asked, own(call)),
    findApproval: async (call, asked, body, needed) =>
      parts.permits && approvalOf(parts.permits, needed, asked, body, own(call)),
    beginEmergency: (call, asked, body, why) => beginEmergency(own(call), asked, body, why),
    withApproval: (problem, asked, body, call) => withApproval(problem, asked, body, own(call)),
  }
}

/** The request, with the reason that was approved: what a person approved is what is written down. */
async function withPermitsReason(
  { application, customer, request }: AskedFor,
  { caller, ctx, preview, permits }: PermitCall,
): Promise<AskedFor['request']> {
  if (!permits) return request
  const filter = { customer: customer.id, operator: caller.id, isOpen: true } as const
  const { permits: open } = await permits.listPermits(filter)
  const granted = open.filter(
    (permit) => permit.state === 'granted' && permit.application === application.clientId,
  )
  if (granted.length === 0) return request
  // The rule alone says under which permit it would start, or that it needs none.
  const { permit } = await preview(request, ctx)
  const ids = permit === undefined ? [] : [permit].flat()
  const reason = granted.find(({ id }) => ids.includes(id))?.reason
  return reason === undefined ? request : { ...request, context: { ...request.context, reason } }
}

/** If none is needed any more, or it is stored already, nothing is stored. */
async function beginEmergency(
  call: PermitCall,
  asked: AskedFor,
  body: ActBody,
  why: string,
): Promise<void> {
  const facts = { ...factsOf(asked, body, call), context: asked.request.context }
  try {
    await requirePermits(call).emergency({ ...facts, why }, { ctx: call.ctx })
  } catch (error) {
    if (!(error instanceof PermitError) || error.error !== 'not_needed') throw error
  }
}
