import { askFor, readActBody, requestFor } from '../../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../../web/answers.ts'
import type { Permits } from '../options.ts'
import type { Permit } from '../permit.ts'
import type { PermitCreated, PreviewAnswer } from './answers.ts'
import { approvalOf, factsOf } from './approval.ts'
import {
  findDeciders,
  type PermitCall,
  requirePermits,
  shownDeciders,
  shownPermit,
} from './shown.ts'

/** `POST /permits` */
export async function ask(call: PermitCall): Promise<void> {
  const permits = requirePermits(call)
  await open(permits, call, await readActBody(call), (request) =>
    permits.request(request, { ctx: call.ctx }),
  )
}

/** `POST /permits/emergency` */
export async function askInEmergency(call: PermitCall): Promise<void> {
  const permits = requirePermits(call)
  await open(permits, call, await readActBody(call), (request) =>
    permits.emergency(request, { ctx: call.ctx }),
  )
}

async function open(
  permits: Permits,
  call: PermitCall,
  asked: ActBody,
  begin: (request: Parameters<Permits['emergency']>[0]) => Promise<Permit>,
): Promise<void> {
  const found = await askFor(call, asked)
  const permit = await begin({ ...factsOf(found, asked, call), context: found.request.context })
  const decidable = await findDeciders(permits, permit)
  call.ctx.status = 201
  call.ctx.body = {
    permit: shownPermit(decidable, call),
    ...(permit.needs.includes('second_person') ? { deciders: shownDeciders(decidable) } : {}),
  } satisfies PermitCreated
}

/** `POST /impersonations/preview` */
export async function preview(call: PermitCall): Promise<void> {
  const body = await readActBody(call)
  await call.limitPreviews(call.caller.id)
  const asked = await requestFor(call, body)
  const { verdict, needs = [], emergency } = await call.preview(asked.request, call.ctx)
  const { permits } = call
  const answer =
    verdict === 'needs' && permits
      ? { approval: await approvalOf(permits, { by: needs, emergency }, asked, body, call) }
      : {}
  call.ctx.body = { verdict, ...answer } satisfies PreviewAnswer
}
