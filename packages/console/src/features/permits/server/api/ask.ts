import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { ACTING_ROLES } from '../../../../kernel/roles.ts'
import type { Permit } from '../../../../records/record-at.ts'
import { actEntries, actForm, askFor } from '../../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../../web/answers.ts'
import { writtenText } from '../../../../web/http/json-body.ts'
import { recordPath } from '../../../../web/kit/paths.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import type { ConsolePermits, PermitRequest } from '../options.ts'
import type { RecordCreated } from './answers.ts'
import { factsOf, findDeciders } from './approval.ts'
import { findStored } from './read.ts'
import { type PermitCall, requirePermits, shownRecord } from './shown.ts'

const { action } = linesFor<PermitCall>()

/** By a button of the form to act, and by the API. */
export const askingActions = [
  action('/permits', ACTING_ROLES, actForm, ask, {
    after: ({ record }) => ({ to: recordPath(record.id), said: { key: 'askedForApproval' } }),
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

async function ask(call: Asking): Promise<RecordCreated> {
  const permits = requirePermits(call)
  return open(permits, call, (request) => permits.request(request, { ctx: call.ctx }))
}

async function askInEmergency(
  call: Asking & { readonly body: { readonly emergency: string } },
): Promise<RecordCreated> {
  const why = call.body.emergency
  const permits = requirePermits(call)
  return open(permits, call, (request) => permits.emergency({ ...request, why }, { ctx: call.ctx }))
}

async function open(
  permits: ConsolePermits,
  call: Asking,
  begin: (request: PermitRequest) => Promise<Permit>,
): Promise<RecordCreated> {
  const found = await askFor(call, call.body)
  const permit = await begin({ ...factsOf(found, call.body, call), context: found.request.context })
  const needsSecond = permit.needs.includes('second_person')
  const deciders = await findDeciders(permits, permit)
  call.ctx.status = 201
  return {
    record: shownRecord(await findStored(call, permit), call, []),
    ...(needsSecond && { deciders }),
  }
}
