import { createHash } from 'node:crypto'
import type { AuditEntry } from './entry.ts'
import type { AuditRecord } from './store.ts'

const HOUR = 3_600_000

/**
 * Returns the same key for events that are stored as one entry with a count. An attacker can replay
 * a used token without a credential, as fast as the provider answers. Without counting, these
 * entries would hide all others.
 *
 * - A replay: same token, client and actor.
 * - A denial at the exchange or at an end: same token, client, actor and error. The entry keeps the reason of
 *   the first denial. The log has every reason.
 * - A denial at issue by the backend or the provider, or a denial for a token that does not exist:
 *   same members except the time, in the same hour.
 *
 * Client and actor are part of the key, so that a harmless attempt cannot hide a later attempt by
 * another client or actor.
 */
export function repeatKeyOf(entry: AuditEntry): string | undefined {
  const { event, id, subject, issuedTo, actor, mayAct, client, scope, context, denial } = entry
  const who = [event, client, actor]
  const hour = Math.floor(entry.time / HOUR)
  switch (event) {
    case 'impersonation.replayed':
      return digest([...who, id])
    case 'impersonation.denied':
      // An id without a subject belongs to no token. It would be different at each attempt.
      return id !== undefined && subject !== undefined
        ? digest([...who, id, denial?.stage, denial?.error])
        : digest([...who, subject, issuedTo, mayAct, context, denial, hour])
    case 'support.refused':
      return digest([...who, subject, scope, context, denial, hour])
    default:
      return undefined
  }
}

/** Makes records of the entries. Repeated events become one record with a count. */
export function countRepeats(entries: readonly AuditEntry[]): AuditRecord[] {
  const records: AuditRecord[] = []
  const places = new Map<string, number>()
  for (const entry of entries) {
    const repeatKey = repeatKeyOf(entry)
    const place = repeatKey === undefined ? undefined : places.get(repeatKey)
    const first = place === undefined ? undefined : records[place]
    if (place !== undefined && first !== undefined) {
      const lastTime = Math.max(first.lastTime, entry.time)
      records[place] = { ...first, count: first.count + 1, lastTime }
      continue
    }
    if (repeatKey !== undefined) places.set(repeatKey, records.length)
    records.push({ entry, repeatKey, count: 1, lastTime: entry.time })
  }
  return records
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
