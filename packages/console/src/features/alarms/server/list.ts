import { type AuditRow, openAlarmOf } from 'oidc-provider-impersonation-verify/format'
import { MAX_COUNTED } from '../../../kernel/limits.ts'
import { readAll } from '../../../kernel/pages.ts'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { AlarmsAnswer } from '../../../web/answers.ts'
import type { Call } from '../../../web/parts.ts'
import { shownRow } from '../../../web/rows.ts'

const MAX_ALARMS_SHOWN = 100
/** Of each rank. */
const MAX_ALARMS_READ = 2000

/** `GET /alarms` */
export async function listAlarms(call: Call): Promise<void> {
  const { ctx, audit } = call
  const now = call.now()
  // What is old as a row may be new as an alarm, and an objection is shown before all others.
  const find = async (alarm: 'open' | 'urgent') => {
    const all = await readAll(
      (before) => audit.store.find({ alarm }, { before, limit: MAX_ALARMS_SHOWN, now }),
      ({ rows }) => rows,
      MAX_ALARMS_READ,
    )
    return all.toSorted((a, b) => (b.alarm?.at ?? 0) - (a.alarm?.at ?? 0))
  }
  const [urgent, open] = await Promise.all([find('urgent'), find('open')])
  const objectionsFirst = urgent.toSorted((a, b) => Number(isObjection(b)) - Number(isObjection(a)))
  ctx.body = {
    urgent: objectionsFirst.slice(0, MAX_ALARMS_SHOWN).map((row) => shownRow(row, call)),
    notable: open
      .filter((row) => openAlarmOf(row) === 'notable')
      .slice(0, MAX_ALARMS_SHOWN)
      .map((row) => shownRow(row, call)),
    now,
  } satisfies AlarmsAnswer
}

const isObjection = ({ alarm }: AuditRow) => alarm?.kinds.includes('objection') === true

/** How many rows have an alarm to look at now, at most one more than `MAX_COUNTED`, counted after the call, once for any number of streams. */
export function countOpenAlarms({ audit, now }: Pick<Call, 'audit' | 'now'>): Promise<number> {
  const { store }: { readonly store: Pick<AuditStore, 'find'> } = audit
  return sharedRead(store, async () => {
    const page = { limit: MAX_COUNTED + 1, now: now() }
    return (await store.find({ alarm: 'urgent' }, page)).rows.length
  })
}
