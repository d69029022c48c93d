import {
  type AuditRecord,
  KINDS,
  present,
  type RecordKind,
  SAID_EVENTS,
  type SaidEvent,
} from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../../kernel/input.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { PermitError } from '../../../../records/errors.ts'
import { recordNow } from '../../../../web/audit.ts'
import { optionalNote } from '../../../../web/http/json-body.ts'
import { invalid, notFound } from '../../../../web/http/problem.ts'
import type { DoneMessage } from '../../../../web/pages/table.ts'
import type { CustomerCall } from '../../../../web/parts.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { findRecord } from './read.ts'
import { type ErasedRecords, type PermitCall, type PermitParts, shownRecord } from './shown.ts'

export const WORD = { note: optionalNote }

const hidden = () => notFound('there is no such record')

/** `POST /records/:id/:event` with `{ note?: string }`: every role. 403 `access_denied`, 404, 409 `decided`. */
export async function say(
  call: PermitCall & { readonly body: Read<typeof WORD> },
): Promise<RecordAnswer & { readonly erased?: ErasedRecords }> {
  const { caller, erasures } = call
  const record = await findRecord(call, call.param('id'))
  const event = eventIn(call, record?.kind)
  if (!record) throw hidden()
  if (record.kind === 'erasure') {
    const erasure = (await erasures.find(call)).find(({ id }) => id === record.id)
    if (!erasure) throw hidden()
    const erased = await erasures.confirm(call, erasure.id, call.body.note)
    return { ...erasure, state: 'confirmed', may: [], erased }
  }
  const after = await call.records.say(record.id, event, sayingOf(call)).catch((error: unknown) => {
    const isDenied = error instanceof PermitError && error.error === 'access_denied'
    const isShown = isAudited(caller.role) || record.operator?.id === caller.id
    // A person who may not decide on what others asked is not told that it is there.
    throw isDenied && !isShown ? hidden() : error
  })
  if (event === 'lifted') await acknowledgeObjection(call, record)
  // Who decided may decide; on their own, nobody does.
  return shownRecord(after, call, [{ id: caller.id }])
}

/** The same on the account page, by the customer. */
export async function sayAsCustomer(
  call: CustomerCall & PermitParts & { readonly body: Read<typeof WORD> },
  limitGrants: (id: string) => Promise<void> | void,
): Promise<SaidEvent> {
  const record = await findRecord(call, call.param('id'))
  const event = eventIn(call, record?.kind)
  if (record?.customer?.id !== call.caller.id) throw hidden()
  // A customer can always say no.
  if (event === 'granted') await limitGrants(call.caller.id)
  await call.records.say(record.id, event, sayingOf(call))
  return event
}

type SayingCall = Pick<CustomerCall, 'caller' | 'param'> &
  PermitParts & { readonly body: Read<typeof WORD> }

/** The word of the path, if the table of transitions has it. */
function eventIn({ body, param }: SayingCall, kind: RecordKind | undefined): SaidEvent {
  const event = SAID_EVENTS.find((each) => each === param('event'))
  const way = kind && event && KINDS[kind].says[event]
  if (!way || !event) throw hidden()
  if (way.needsNote && body.note === undefined) throw invalid('note is required')
  return event
}

const sayingOf = ({ body: { note }, caller }: SayingCall) => ({
  by: caller.id,
  ...present({ note }),
})

/** An objection is one event: who looks into it has seen its alarm. */
async function acknowledgeObjection(
  call: PermitCall & { readonly body: Read<typeof WORD> },
  { impersonation: id = '' }: AuditRecord,
): Promise<void> {
  const row = id === '' ? undefined : await call.audit.store.row(id)
  const { kinds = [], count = 0 } = row?.alarm ?? {}
  if (kinds.join() !== 'objection') return
  const { note } = call.body
  await recordNow(call, { event: 'support.acknowledged', id, ...present({ note }), alarms: count })
}

/** What a person is told who said the last word. */
export function saidOf({
  erased,
  grantedAt,
  said,
  state,
}: Awaited<ReturnType<typeof say>>): DoneMessage {
  if (erased !== undefined) return { key: 'erased', count: erased.impersonations + erased.permits }
  if (state === 'revoked' && grantedAt === undefined) return { key: 'withdrawn' }
  const { event = 'granted' } = said.at(-1) ?? {}
  return { key: event === 'confirmed' ? 'erased' : event }
}
