import { type AuditRecord, SAID_EVENTS } from 'oidc-provider-impersonation-verify/format'
import { readAll } from '../../kernel/pages.ts'
import { isAudited } from '../../kernel/roles.ts'
import { recordNow } from '../../web/audit.ts'
import { optionalNote } from '../../web/http/json-body.ts'
import type { DoneMessage } from '../../web/pages/table.ts'
import type { Call, WithBody } from '../../web/parts.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { shownRow } from '../../web/rows.ts'
import { cookiePlace, readCookie, writeCookie } from '../../web/sign-in/cookie.ts'
import { noSuchRecord, PermitError } from '../errors.ts'
import {
  type CustomerRecordCall,
  mayOfApprover,
  type RecordCall,
  recordFor,
  shownDeciders,
  shownRecord,
} from './shown.ts'

/** About how many impersonations are read to find those of a record. */
const MAX_LOOKED_AT = 1000

export type RecordPageAnswer = Awaited<ReturnType<typeof showRecord>>

/** `GET /records/:id`: one record, with what was done under it. 404 for what the caller is not shown. */
export async function showRecord(call: RecordCall) {
  const { now, param, records } = call
  const record = await records.find(param('id'))
  if (!record) throw noSuchRecord()
  const impersonations = await rowsUnder(record, call)
  // An operator who acted by an answer is shown it.
  const isUsed = impersonations.length > 0
  const seen = (await recordFor(call, record)) ?? (isUsed && shownRecord(record, call))
  if (!seen) throw noSuchRecord()
  if (seen.isMine && seen.state !== 'requested') keepSeen(call, seen.id)
  const isAwaited = mayOfApprover(record, now()).includes('granted')
  return {
    record: seen,
    /** While it can be decided by a second person. */
    deciders: isAwaited ? shownDeciders(await records.who.knownApprovers(record)) : undefined,
    impersonations,
  }
}

/** Finds what ran or runs under a record, or what it is about, newest first: at most 100 that the caller may see. */
export async function rowsUnder(record: AuditRecord | RecordAnswer, call: Call) {
  const { audit, caller, now } = call
  const { customer, id, impersonation, requestedAt: from, until } = record
  const operator = isAudited(caller.role) ? record.operator?.id : caller.id
  if (record.operator && record.operator.id !== operator) return []
  if (record.kind === 'erasure') return []
  if (record.kind === 'stop') {
    const row = await audit.store.row(impersonation ?? '')
    return row ? [shownRow(row, call)] : []
  }
  const filter = { customer: customer?.id, operator, from, to: until && until + 1 }
  const rows = await readAll(
    (before) => audit.store.find(filter, { before, limit: 200, now: now() }),
    (page) => page.rows,
    MAX_LOOKED_AT,
  )
  const under = rows.filter(({ permit }) => [permit].flat().includes(id))
  return under.slice(0, 100).map((row) => shownRow(row, call))
}

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
export async function say(call: WithBody<typeof WORD, RecordCall>) {
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
  return { ...shownRecord(after, call, ['approver']), erased: undefined }
}

/** The same on the account page, by the customer. */
export async function sayAsCustomer(
  call: WithBody<typeof WORD, CustomerRecordCall>,
  limitGrants: (id: string) => Promise<void> | void,
) {
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
) {
  const row = await call.audit.store.row(id)
  const { kinds = [], count = 0 } = row?.alarm ?? {}
  if (kinds.join() !== 'objection') return
  const { note } = call.body
  await recordNow(call, { event: 'support.acknowledged', id, note, alarms: count })
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

export type News = Awaited<ReturnType<typeof findNews>>

/** Finds what became of the requests of a person. */
export async function findNews(call: RecordCall) {
  const { caller, gate, now, records } = call
  if (!gate.hasPermits || caller.role === 'auditor') return { decided: [], waiting: [] }
  const found = await records.list({ operator: caller.id, kind: 'approval', notOverAt: now() })
  const own = found.map((record) => shownRecord(record, call))
  const isNews = ({ id, state }: RecordAnswer) =>
    (state === 'granted' || state === 'declined') && !seenIn(call).includes(id)
  const unused = own.filter(isNews).map(async (shown) => {
    const isUsed = shown.state === 'granted' && (await rowsUnder(shown, call)).length > 0
    return isUsed ? [] : [shown]
  })
  return {
    /** Those that were decided, and that the person has neither looked at nor used. */
    decided: (await Promise.all(unused)).flat(),
    /** The ids of those that wait. */
    waiting: own.filter(({ state }) => state === 'requested').map(({ id }) => id),
  }
}

/** The number of decisions that a browser remembers as seen. */
const MAX_SEEN = 20
/** No refusal holds longer, in seconds. */
const SEEN_SECONDS = 86_400

const placeOf = ({ settings }: RecordCall) => {
  const place = cookiePlace(settings.clientId, settings.url)
  return { ...place, name: `${place.name}-seen` }
}

const seenIn = (call: RecordCall) => readCookie(call.ctx, placeOf(call).name)?.split('.') ?? []

/** Keeps that the reader looks at a decision: it is not told any more. */
function keepSeen(call: RecordCall, id: string) {
  const before = seenIn(call)
  if (call.ctx.get('Authorization') !== '' || before.includes(id)) return
  const ids = [...before.slice(1 - MAX_SEEN), id]
  writeCookie(call.ctx, placeOf(call), ids.join('.'), SEEN_SECONDS)
}
