import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { MAX_COUNTED } from '../../../kernel/limits.ts'
import { readAll } from '../../../kernel/pages.ts'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { RowAnswer } from '../../../web/answers.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'

const MAX_ALARMS_SHOWN = 100
const MAX_ALARMS_READ = 2000

/** Lists the open alarms: those that a customer objects to first, then the newest first. */
export async function findAlarms(call: Call): Promise<readonly RowAnswer[]> {
  const { audit } = call
  const now = call.now()
  // What is old as a row may be new as an alarm, and an objection is shown before all others.
  const open = await readAll(
    (before) => audit.store.find({ alarm: 'open' }, { before, limit: MAX_ALARMS_SHOWN, now }),
    ({ rows }) => rows,
    MAX_ALARMS_READ,
  )
  return open
    .toSorted((a, b) => (b.alarm?.at ?? 0) - (a.alarm?.at ?? 0))
    .toSorted((a, b) => Number(isObjection(b)) - Number(isObjection(a)))
    .slice(0, MAX_ALARMS_SHOWN)
    .map((row) => shownRow(row, call))
}

const isObjection = ({ alarm }: AuditRow) => alarm?.kinds.includes('objection') === true

/** How many rows have an open alarm, at most one more than `MAX_COUNTED`, counted after the call, once for any number of streams. */
export function countOpenAlarms({ audit, now }: Pick<Call, 'audit' | 'now'>): Promise<number> {
  const { store }: { readonly store: Pick<AuditStore, 'find'> } = audit
  return sharedRead(store, async () => {
    const page = { limit: MAX_COUNTED + 1, now: now() }
    return (await store.find({ alarm: 'open' }, page)).rows.length
  })
}
