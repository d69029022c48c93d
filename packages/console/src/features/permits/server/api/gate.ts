import { PermitError } from '../../../../records/errors.ts'
import type { ActBody } from '../../../../web/answers.ts'
import type { AskedFor, Call, Gate } from '../../../../web/parts.ts'
import { approvalOf, factsOf, withApproval } from './approval.ts'
import { findRecords } from './read.ts'
import { type PermitCall, requirePermits, type StaffParts } from './shown.ts'
import { findOwnStop, stoppedProblem } from './stops.ts'

/** What stands before a start, by records. */
export function permitGate(parts: StaffParts): Gate {
  const own = (call: Call): PermitCall => ({ ...call, ...parts })
  return {
    hasPermits: parts.permits !== undefined,
    findStop: (call, customer) => findOwnStop(own(call), customer),
    stoppedProblem,
    withPermitsReason: (asked, call) => withPermitsReason(asked, own(call)),
    findApproval: async (call, asked, body, needed) =>
      parts.permits && approvalOf(parts.permits, needed, asked, body, own(call)),
    beginEmergency: (call, asked, body, why) => beginEmergency(own(call), asked, body, why),
    revokeEmergencies: ({ caller }, ids) => parts.records.revokeEmergencies(ids, caller.id),
    withApproval: (problem, asked, body, call) => withApproval(problem, asked, body, own(call)),
  }
}

/** The request, with the reason that was approved: what a person approved is what is written down. */
async function withPermitsReason(
  { application, customer, request }: AskedFor,
  call: PermitCall,
): Promise<AskedFor['request']> {
  const { caller, ctx, now, preview, permits } = call
  if (!permits) return request
  const filter = { customer: customer.id, operator: caller.id, state: 'granted' } as const
  const found = await findRecords(call, { ...filter, notOverAt: now() })
  const granted = found.filter((each) => each.application === application.clientId)
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
  const facts = { ...factsOf(asked, body, call), why, context: asked.request.context }
  try {
    await requirePermits(call).emergency(facts, { ctx: call.ctx })
  } catch (error) {
    if (!(error instanceof PermitError) || error.error !== 'not_needed') throw error
  }
}
