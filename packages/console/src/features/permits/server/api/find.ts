import type { AuditRecord, AuditRow } from 'oidc-provider-impersonation-verify/format'
import { isAudited } from '../../../../kernel/roles.ts'
import { rowPages } from '../../../../ledger/readable.ts'
import type { RowAnswer } from '../../../../web/answers.ts'
import { notFound } from '../../../../web/http/problem.ts'
import type { Call } from '../../../../web/parts.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { shownRow } from '../../../../web/rows.ts'
import type { DecidersAnswer } from './answers.ts'
import { findRecord } from './read.ts'
import { keepSeen } from './seen.ts'
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

/** `GET /records/:id`: 404 for what the caller is not shown. */
export interface RecordPageAnswer {
  readonly record: RecordAnswer
  /** While it can be decided by a second person. */
  readonly deciders?: DecidersAnswer
  /** What ran or runs under it, newest first, at most 100: of those that the caller may see. */
  readonly impersonations: readonly RowAnswer[]
}

/** Shows one record, with what was done under it. */
export async function showRecord(call: PermitCall): Promise<RecordPageAnswer> {
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
    ...(isAwaited && { deciders: shownDeciders(await findApprovers(record, call)) }),
    impersonations,
  }
}

/** What ran or runs under a record, or what it is about, of those that the caller may see. */
export async function rowsUnder(
  record: AuditRecord | RecordAnswer,
  call: Call,
): Promise<RowAnswer[]> {
  const { audit, caller, now } = call
  const { customer, id, impersonation, requestedAt: from, until } = record
  const operator = isAudited(caller.role) ? record.operator?.id : caller.id
  if (record.operator && record.operator.id !== operator) return []
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
