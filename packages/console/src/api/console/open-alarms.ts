import type { AuditStore } from '../../audit/store.ts'
import { sharedRead } from '../shared-read.ts'

/** The most alarms that are counted. */
const MAX_ALARMS_COUNTED = 100

/** How many rows have an alarm to look at now, counted after the call, once for any number of streams. */
export function openAlarms(store: Pick<AuditStore, 'find'>, now: () => number): Promise<number> {
  return sharedRead(store, async () => {
    const page = { limit: MAX_ALARMS_COUNTED, now: now() }
    return (await store.find({ alarm: 'urgent' }, page)).rows.length
  })
}
