import { present } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../ledger/filters.ts'
import { exportCsv } from '../../../ledger/keeping/export.ts'
import { exportEverything } from '../../../ledger/keeping/export-everything.ts'
import { proveOne } from '../../../ledger/keeping/prove-one.ts'
import { orUnavailable } from '../../../web/http/problem.ts'
import { readQuery } from '../../../web/http/query.ts'
import { isNaming, namelessFilter, sendExport } from '../../../web/http/send-export.ts'
import { zoneOf } from '../../../web/pages/reader.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow } from '../../../web/rows.ts'
import { withRange } from '../../../web/when.ts'
import { FILTER, visibleFilter } from './filter.ts'

/** `GET /audit/export.csv` */
export async function exportRows(call: Call): Promise<void> {
  const { ctx, audit, caller } = call
  const asked = withRange(readQuery(ctx, FILTER), zoneOf(ctx))
  const filter = visibleFilter(asked, caller)
  const found = await findNewest(filter, call)
  const context = { format: 'csv', filter: namelessFilter(filter), ...found }
  await sendExport(call, 'audit.csv', 'csv', context, () =>
    exportCsv(audit.store, { filter, now: call.now() }),
  )
}

/** One id leads to what was looked for, as long as it is kept. */
async function findNewest(filter: RowFilter, { audit, now }: Call) {
  if (!isNaming(filter)) return {}
  const page = { limit: 1, now: now() }
  const { rows } = await orUnavailable('the audit cannot be read now', () =>
    audit.store.find(filter, page),
  )
  return present({ impersonation: rows[0]?.id })
}

/** `GET /audit/entries.jsonl`, or of one impersonation `GET /audit/:id/entries.jsonl` */
export async function exportEntries(call: Call): Promise<void> {
  const { store, seals } = call.audit
  const only = call.param('id') === '' ? undefined : (await findRow(call)).id
  const name = only === undefined ? 'entries.jsonl' : `impersonation-${only}.jsonl`
  const context = { format: 'entries', ...present({ impersonation: only }) }
  await sendExport(call, name, 'jsonl', context, () =>
    only === undefined ? exportEverything(store, seals) : proveOne(store, seals, only),
  )
}
