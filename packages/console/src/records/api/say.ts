import {
  type AuditRecord,
  present,
  SAID_EVENTS,
  type SaidEvent,
} from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../kernel/roles.ts'
import { recordNow } from '../../web/audit.ts'
import { optionalNote } from '../../web/http/json-body.ts'
import type { DoneMessage } from '../../web/pages/table.ts'
import type { WithBody } from '../../web/parts.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { noSuchRecord, PermitError } from '../errors.ts'
import {
  type CustomerRecordCall,
  type ErasedRecords,
  type RecordCall,
  shownRecord,
} from './shown.ts'

export const WORD = { note: optionalNote }

/** Finds the record and the event of the path. */
async function findWord({
  body,
  caller,
  param,
  records,
}: WithBody<typeof WORD, CustomerRecordCall>) {
  const event = SAID_EVENTS.find((each) => each === param('event'))
  const record = await records.find(param('id'))
  if (!event || !record) throw noSuchRecord()
  return { event, record, saying: { by: caller.id, ...body } }
}

/** `POST /records/:id/:event` with `{ note?: string }`: every role. 403 `access_denied`, 404, 409 `decided`. */
export async function say(
  call: WithBody<typeof WORD, RecordCall>,
): Promise<RecordAnswer & { readonly erased?: ErasedRecords }> {
  const { caller, erasures, records } = call
  const { event, record, saying } = await findWord(call)
  if (record.kind === 'erasure') {
    const erasure = (await erasures.find(call)).find(({ id }) => id === record.id)
    if (!erasure || event !== 'confirmed') throw noSuchRecord()
    const erased = await erasures.confirm(call, erasure.id, saying.note)
    return { ...erasure, state: event, may: [], erased }
  }
  const after = await records.say(record.id, event, saying).catch((error: unknown) => {
    const isDenied = error instanceof PermitError && error.error === 'access_denied'
    const isShown = isAudited(caller.role) || record.operator?.id === caller.id
    // A person who may not decide on what others asked is not told that it is there.
    throw isDenied && !isShown ? noSuchRecord() : error
  })
  if (event === 'lifted') await acknowledgeObjection(call, record)
  // A person who decided may decide; on their own, nobody does.
  return shownRecord(after, call, ['approver'])
}

/** The same on the account page, by the customer. */
export async function sayAsCustomer(
  call: WithBody<typeof WORD, CustomerRecordCall>,
  limitGrants: (id: string) => Promise<void> | void,
): Promise<SaidEvent> {
  const { event, record, saying } = await findWord(call)
  if (record.customer?.id !== call.caller.id) throw noSuchRecord()
  // A customer can always say no.
  if (event === 'granted') await limitGrants(call.caller.id)
  await call.records.say(record.id, event, saying)
  return event
}

/** An objection is one event: who looks into it has seen its alarm. */
async function acknowledgeObjection(
  call: WithBody<typeof WORD, RecordCall>,
  { impersonation: id = '' }: AuditRecord,
): Promise<void> {
  const row = await call.audit.store.row(id)
  const { kinds = [], count = 0 } = row?.alarm ?? {}
  if (kinds.join() !== 'objection') return
  const { note } = call.body
  await recordNow(call, { event: 'support.acknowledged', id, ...present({ note }), alarms: count })
}

/** The message about the last word, for who said it. */
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
