import type { AuditEntry, AuditStore, StoredEntry } from '../audit/entry.ts'
import { MOST_SCANNED, SKEW } from '../audit/search.ts'

const CHUNK = 500

/**
 * When the impersonations of a page were ended, by `jti`: those that were ended before they expired.
 *
 * What ended one is newer than it: it is on this page, or among what comes right after the page,
 * until the last of them expired. So much is looked at, and no more than for a search.
 *
 * @param page of one account's entries, newest first, with what ended them
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
    // Said twice, the first time counts.
    if (time < (expiries.get(jti) ?? 0)) endings.set(jti, Math.min(time, endings.get(jti) ?? time))
  }
  for (const { entry } of page) note(entry)

  let cursor = page[0]?.cursor
  for (let left = MOST_SCANNED; left > 0 && cursor !== undefined; left -= CHUNK) {
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
