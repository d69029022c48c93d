import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { ACTING_ROLES } from '../../../../kernel/roles.ts'
import type { Permit } from '../../../../records/record-at.ts'
import { actEntries, actForm, askFor } from '../../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../../web/answers.ts'
import { writtenText } from '../../../../web/http/json-body.ts'
import { permitPath } from '../../../../web/kit/paths.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import type { ConsolePermits } from '../options.ts'
import type { PermitCreated } from './answers.ts'
import { factsOf } from './approval.ts'
import {
  findDeciders,
  type PermitCall,
  requirePermits,
  shownDeciders,
  shownPermit,
} from './shown.ts'

const { action } = linesFor<PermitCall>()

/** By a button of the form to act, and by the API. */
export const askingActions = [
  action('/permits', ACTING_ROLES, actForm, ask, {
    after: ({ permit }) => ({ to: permitPath(permit.id), said: { key: 'askedForApproval' } }),
  }),
  action(
    '/permits/emergency',
    ACTING_ROLES,
    ({ settings }: PermitCall) => ({
      ...actEntries(settings),
      emergency: writtenText(MAX_REASON_LENGTH),
    }),
    askInEmergency,
  ),
]

type Asking = PermitCall & { readonly body: ActBody }

async function ask(call: Asking): Promise<PermitCreated> {
  const permits = requirePermits(call)
  return open(permits, call, (request) => permits.request(request, { ctx: call.ctx }))
}

async function askInEmergency(
  call: Asking & { readonly body: { readonly emergency: string } },
): Promise<PermitCreated> {
  const permits = requirePermits(call)
  const why = call.body.emergency
  return open(permits, call, (request) => permits.emergency({ ...request, why }, { ctx: call.ctx }))
}

async function open(
  permits: ConsolePermits,
  call: Asking,
  begin: (request: Parameters<ConsolePermits['request']>[0]) => Promise<Permit>,
): Promise<PermitCreated> {
  const found = await askFor(call, call.body)
  const permit = await begin({ ...factsOf(found, call.body, call), context: found.request.context })
  const decidable = await findDeciders(permits, permit)
  call.ctx.status = 201
  return {
    permit: shownPermit(decidable, call),
    ...(permit.needs.includes('second_person') ? { deciders: shownDeciders(decidable) } : {}),
  }
}
