import { readBody } from '../../http/json-body.ts'
import { invalid } from '../../http/problem.ts'
import type { Permits } from '../../permits/options.ts'
import type { Permit } from '../../permits/permit.ts'
import { askFor, parseActBody } from '../console/asked-for.ts'
import type { Call } from '../parts.ts'
import type { PermitCreated } from './answers.ts'
import { factsOf } from './approval.ts'
import { findDeciders, permitting, requirePermits, shownDeciders, shownPermit } from './shown.ts'

const ACT_MEMBERS = ['userId', 'ticketId', 'reason', 'application', 'access', 'duration'] as const

/** `POST /permits` */
export function ask(call: Call): Promise<void> {
  return open(call, ['for'], (permits, request, body) =>
    permits.request({ ...request, for: Number(body.for) }, { ctx: call.ctx }),
  )
}

/** `POST /permits/emergency` */
export function askInEmergency(call: Call): Promise<void> {
  return open(call, [], (permits, request) => permits.emergency(request, { ctx: call.ctx }))
}

type Request = Parameters<Permits['emergency']>[0]

async function open(
  call: Call,
  members: readonly string[],
  begin: (permits: Permits, request: Request, body: { for?: unknown }) => Promise<Permit>,
): Promise<void> {
  const permits = requirePermits(call)
  const { for: length, ...act } = await readBody(call.ctx, ...ACT_MEMBERS, ...members)
  if (members.includes('for') && typeof length !== 'number') throw invalid('for must be a number')
  const asked = parseActBody(act, call)
  const found = await askFor(call, asked)
  const facts = { ...factsOf(found, asked, call), context: found.request.context }
  const permit = await permitting(() => begin(permits, facts, { for: length }))
  const decidable = await findDeciders(permits, permit)
  call.ctx.status = 201
  call.ctx.body = {
    permit: shownPermit(decidable, call),
    ...(permit.needs.includes('second_person') ? { deciders: shownDeciders(decidable) } : {}),
  } satisfies PermitCreated
}
