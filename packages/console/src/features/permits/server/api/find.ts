import type { AuditRecord, AuditRow } from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../../../kernel/roles.ts'
import { rowPages } from '../../../../ledger/readable.ts'
import type { RowAnswer } from '../../../../web/answers.ts'
import { notFound } from '../../../../web/http/problem.ts'
import type { Call } from '../../../../web/parts.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { shownRow } from '../../../../web/rows.ts'
import { cookiePlace, readCookie, writeCookie } from '../../../../web/sign-in/cookie.ts'
import { findRecord, findRecords } from './read.ts'
import {
  awaitsApprover,
  findApprovers,
  type PermitCall,
  recordFor,
  shownDeciders,
  shownRecord,
} from './shown.ts'

/** About how many impersonations are read to find those of a record. */
const MAX_LOOKED_AT = 1000

export type RecordPageAnswer = Awaited<ReturnType<typeof showRecord>>

/** `GET /records/:id`: one record, with what was done under it. 404 for what the caller is not shown. */
export async function showRecord(call: PermitCall) {
  const record = await findRecord(call, call.param('id'))
  if (!record) throw notFound('there is no such record')
  const [shown, impersonations] = await Promise.all([
    recordFor(call, record),
    rowsUnder(record, call),
  ])
  // Who acted by an answer is shown it.
  const seen = shown ?? (impersonations.length > 0 ? shownRecord(record, call, []) : undefined)
  if (!seen) throw notFound('there is no such record')
  if (seen.isMine && seen.state !== 'requested') keepSeen(call, seen.id)
  const isAwaited = seen.state === 'requested' && awaitsApprover(record, call.now())
  return {
    record: seen,
    /** While it can be decided by a second person. */
    deciders: isAwaited ? shownDeciders(await findApprovers(record, call)) : undefined,
    impersonations,
  }
}

/** What ran or runs under a record, or what it is about, newest first: at most 100 that the caller may see. */
export async function rowsUnder(
  record: AuditRecord | RecordAnswer,
  call: Call,
): Promise<RowAnswer[]> {
  const { audit, caller, now } = call
  const { customer, id, impersonation, requestedAt: from, until } = record
  const operator = isAudited(caller.role) ? record.operator?.id : caller.id
  if (record.operator && record.operator.id !== operator) return []
  if (record.kind === 'erasure') return []
  if (record.kind === 'stop') {
    const row = impersonation === undefined ? undefined : await audit.store.row(impersonation)
    return row ? [shownRow(row, call)] : []
  }
  const filter = { customer: customer?.id, operator, from, to: until && until + 1 }
  const rows: AuditRow[] = []
  let looked = 0
  for await (const page of rowPages(audit.store, filter, now())) {
    rows.push(...page.rows.filter((row) => [row.permit].flat().includes(id)))
    looked += page.rows.length
    if (looked >= MAX_LOOKED_AT || rows.length >= 100) break
  }
  return rows.slice(0, 100).map((row) => shownRow(row, call))
}

export type News = Awaited<ReturnType<typeof findNews>>

/** What became of the requests of a person. */
export async function findNews(call: PermitCall) {
  const { caller, now, permits } = call
  if (!permits || caller.role === 'auditor') return { decided: [], waiting: [] }
  const found = await findRecords(call, { operator: caller.id, notOverAt: now() })
  const own = found.filter(({ kind }) => kind === 'approval')
  const isNews = ({ id, state }: RecordAnswer) =>
    (state === 'granted' || state === 'declined') && !wasSeen(call, id)
  const unused = own
    .map((record) => shownRecord(record, call, []))
    .filter(isNews)
    .map(async (shown) => {
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

/** What a browser remembers of decisions that its reader has looked at. */
const MAX_SEEN = 20
/** No refusal holds longer, in seconds. */
const SEEN_SECONDS = 86_400

const placeOf = ({ settings }: PermitCall) => {
  const place = cookiePlace(settings.clientId, settings.url)
  return { ...place, name: `${place.name}-seen` }
}

const seenIn = (call: PermitCall) => readCookie(call.ctx, placeOf(call).name)?.split('.') ?? []

/** Whether the reader has looked at a decision in this browser. */
export const wasSeen = (call: PermitCall, id: string) => seenIn(call).includes(id)

/** Keeps that the reader looks at a decision: it is not told any more. */
export function keepSeen(call: PermitCall, id: string): void {
  if (call.ctx.get('Authorization') !== '' || wasSeen(call, id)) return
  const ids = [...seenIn(call).slice(1 - MAX_SEEN), id]
  writeCookie(call.ctx, placeOf(call), ids.join('.'), SEEN_SECONDS)
}
