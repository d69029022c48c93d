import { ALL_OUTCOMES, type AuditRow, MAX_DATE_MS } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import { exportCsv } from '../../../ledger/keeping/export.ts'
import { exportEverything } from '../../../ledger/keeping/export-everything.ts'
import { proveOne } from '../../../ledger/keeping/prove-one.ts'
import { settle } from '../../../web/audit.ts'
import { Problem } from '../../../web/http/problem.ts'
import {
  checked,
  cursor,
  numberParameter,
  personId,
  readQuery,
  searchWords,
} from '../../../web/http/query.ts'
import { isNaming, namelessFilter, sendExport } from '../../../web/http/send-export.ts'
import { zoneOf } from '../../../web/pages/reader.ts'
import type { Call, Caller, WithQuery } from '../../../web/parts.ts'
import { findRow, shownRow } from '../../../web/rows.ts'
import { asksForDays, WHEN, withRange } from '../../../web/when.ts'

/** The parameters of a filter. */
const FILTER = {
  ...WHEN,
  operator: personId,
  customer: personId,
  ticket: searchWords,
  outcome: v.optional(oneOf(ALL_OUTCOMES)),
  text: searchWords,
  alarm: v.optional(oneOf(['any', 'objection', 'open'])),
  held: checked,
}

export const SEARCHED = {
  ...FILTER,
  before: cursor,
  limit: v.optional(numberParameter(1, 200), '50'),
  /** The first row that the reader sees, by time and id. */
  first: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,16}\.[\w-]{43}$/, 'must be the time and the id of a row'),
      v.transform((text) => ({
        at: Math.min(Number(text.slice(0, -44)), MAX_DATE_MS),
        id: text.slice(-43),
      })),
    ),
  ),
}

export type AuditAnswer = Awaited<ReturnType<typeof searchAudit>>

/**
 * `GET /audit`: the rows that match. Leads and auditors see all rows. An operator sees their own; with
 * `customer`, those of this customer. With `first`, those from this one on, and how many are newer.
 */
export async function searchAudit(call: WithQuery<typeof SEARCHED>) {
  const { audit, caller, ctx, query } = call
  const { before, limit, first, ...asked } = query
  const filter: RowFilter = withRange(asked, zoneOf(ctx))
  const now = call.now()
  const visible = visibleFilter(filter, caller)
  if (before === undefined) await settle(audit)
  const { to = Number.POSITIVE_INFINITY } = visible
  const until = first ? { to: Math.min(to, first.at + 1) } : {}
  const [{ rows, next, lookedTo }, newer] = await Promise.all([
    audit.store.find({ ...visible, ...until }, { before, limit, now }),
    first && audit.store.countNewer(visible, first, now),
  ])
  const isNewer = ({ at, id }: AuditRow) => first && at === first.at && id > first.id
  return {
    rows: rows.filter((row) => !isNewer(row)).map((row) => shownRow(row, call)),
    /** The value of `before` for the next, older page. */
    next,
    /** The page ended before it was full: all of this time and later was looked at. */
    lookedTo,
    newer,
    filter,
    isDays: asksForDays(asked),
    before,
    now,
  }
}

/**
 * A filter, narrowed to what the caller may see: an operator sees the rows that they
 * ran, and with `customer` those of this customer.
 *
 * @throws Problem 403 for a parameter that is not for operators
 */
function visibleFilter(filter: RowFilter, { id, role }: Caller): RowFilter {
  const { alarm, customer, held, operator = id } = filter
  if (role !== 'operator') return filter
  if (alarm !== undefined || held !== undefined || (customer === undefined && operator !== id)) {
    throw new Problem(
      403,
      'access_denied',
      'alarm, held and other operators are for leads and auditors',
    )
  }
  return customer === undefined ? { ...filter, operator } : filter
}

/** `GET /audit/export.csv`: one line for each row that matches. The export is an entry itself. */
export async function exportRows(call: Call): Promise<void> {
  const { ctx, audit, caller, now } = call
  const filter = visibleFilter(withRange(readQuery(ctx.querystring, FILTER), zoneOf(ctx)), caller)
  // One id leads to what was looked for, as long as it is kept.
  const found = isNaming(filter) && (await audit.store.find(filter, { limit: 1, now: now() }))
  const context = {
    format: 'csv',
    filter: namelessFilter(filter),
    impersonation: found ? found.rows[0]?.id : undefined,
  }
  await sendExport(call, 'audit.csv', context, () => exportCsv(audit.store, { filter, now: now() }))
}

/**
 * `GET /audit/entries.jsonl`: all entries with their sums, and the seals, for the command `verify`. `GET
 * /audit/:id/entries.jsonl`: the same for one impersonation, with only the digests of other entries.
 */
export async function exportEntries(call: Call): Promise<void> {
  const { store, seals } = call.audit
  const only = call.param('id') === '' ? undefined : (await findRow(call)).id
  const name = only === undefined ? 'entries.jsonl' : `impersonation-${only}.jsonl`
  const context = { format: 'entries', impersonation: only }
  await sendExport(call, name, context, () =>
    only === undefined ? exportEverything(store, seals) : proveOne(store, seals, only),
  )
}
