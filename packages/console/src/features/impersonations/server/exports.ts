import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { present } from 'oidc-provider-impersonation-verify/format'
import { exportCsv, exportJsonLines } from '../../../ledger/keeping/export.ts'
import { exportEverything } from '../../../ledger/keeping/export-everything.ts'
import { readQuery } from '../../../web/http/query.ts'
import { type ExportFormat, sendExport } from '../../../web/http/send-export.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow } from '../../../web/rows.ts'
import { FILTER, visibleFilter } from './filter.ts'

/** `GET /audit/export.csv` and `/audit/export.jsonl` */
export function exportRows(format: ExportFormat): (call: Call) => Promise<void> {
  const linesOf = format === 'csv' ? exportCsv : exportJsonLines
  return async (call) => {
    const { ctx, audit, caller } = call
    const filter = visibleFilter(readQuery(ctx, FILTER), caller) ?? {}
    await sendExport(call, `audit.${format}`, format, { format, filter }, () =>
      linesOf(audit.store, { filter, now: call.now() }),
    )
  }
}

/** `GET /audit/entries.jsonl` */
export async function exportEntries(call: Call): Promise<void> {
  await sendEntries(call, 'entries.jsonl')
}

/** `GET /audit/:id/entries.jsonl` */
export async function exportEntriesOfOne(call: Call): Promise<void> {
  const { id } = await findRow(call)
  await sendEntries(call, `impersonation-${id}.jsonl`, id)
}

/** @param only the id of the impersonation whose texts it has; `undefined` for all */
function sendEntries(call: Call, name: string, only?: string): Promise<void> {
  const { audit, provider, now } = call
  const context = { format: 'entries', ...present({ impersonation: only }) }
  return sendExport(call, name, 'jsonl', context, () =>
    exportEverything(audit.store, {
      sign: (claims) => signCheckpoint(provider, claims),
      now,
      only,
    }),
  )
}
