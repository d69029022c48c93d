import type { AuditEntry } from '../audit/entry.ts'
import { MAX_SCANNED, SKEW } from '../audit/search.ts'
import type { AuditStore, StoredEntry } from '../audit/store.ts'

const CHUNK = 500

/**
 * Finds when the impersonations of a page were ended, by `jti`. It has only those that an operator
 * ended before they expired.
 *
 * The entry of an end is newer than the entry of the grant. It is on this page or among the newer
 * entries, up to the expiry of the last grant. The function reads no more entries than a search.
 *
 * @param page the entries of one account, newest first, with the entries of their ends
 */
export async function endingsOf(
  store: AuditStore,
  page: readonly StoredEntry[],
): Promise<ReadonlyMap<string, number>> {
  const endings = new Map<string, number>()
  const expiries = new Map<string, number>()
  for (const { entry } of page) {
    if (entry.event !== 'impersonation.granted' || entry.jti === undefined) continue
    expiries.set(entry.jti, (entry.expiresAt ?? 0) * 1000)
  }
  const note = ({ event, jti, time }: AuditEntry) => {
    if (event !== 'support.ended' || jti === undefined) return
    // If an operator ends it twice, the first time counts.
    if (time < (expiries.get(jti) ?? 0)) endings.set(jti, Math.min(time, endings.get(jti) ?? time))
  }
  for (const { entry } of page) note(entry)

  let cursor = page[0]?.cursor
  for (let left = MAX_SCANNED; left > 0 && cursor !== undefined; left -= CHUNK) {
    const open = [...expiries].filter(([jti]) => !endings.has(jti)).map(([, expiry]) => expiry)
    if (open.length === 0) break
    const latest = Math.max(...open) + SKEW
    const chunk = await store.after(cursor, CHUNK)
    for (const { entry } of chunk) {
      if (!entry) continue
      if (entry.time > latest) return endings
      note(entry)
    }
    cursor = chunk.length < CHUNK ? undefined : chunk.at(-1)?.cursor
  }
  return endings
}
