import type { AuditStore } from '../../audit/store.ts'
import { sharedRead } from '../shared-read.ts'
import type { MaxCounted } from './answers.ts'

export const MAX_COUNTED: MaxCounted = 100

/** How many rows have an alarm to look at now, at most one more than `MAX_COUNTED`, counted after the call, once for any number of streams. */
export function openAlarms(store: Pick<AuditStore, 'find'>, now: () => number): Promise<number> {
  return sharedRead(store, async () => {
    const page = { limit: MAX_COUNTED + 1, now: now() }
    return (await store.find({ alarm: 'urgent' }, page)).rows.length
  })
}
