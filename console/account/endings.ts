import type { AuditEntry } from '../audit/entry.ts'
import { MAX_SCANNED, SKEW } from '../audit/search.ts'
import type { AuditStore, StoredEntry } from '../audit/store.ts'
import type { AccountEnd } from './answers.ts'

const CHUNK = 500

/**
 * Finds how the impersonations of a page were ended before they expired, by their id.
 *
 * The entry of an end is newer than the entry of the grant. It is on this page or among the newer
 * entries, up to the expiry of the last grant. The function reads no more entries than a search.
 *
 * @param page the entries of one account, newest first, with the entries of their ends
 */
export async function endingsOf(
  store: AuditStore,
  page: readonly StoredEntry[],
): Promise<ReadonlyMap<string, AccountEnd>> {
  const endings = new Map<string, AccountEnd>()
  const expiries = new Map<string, number>()
  for (const { entry } of page) {
    if (entry.event !== 'impersonation.granted' || entry.id === undefined) continue
    expiries.set(entry.id, (entry.expiresAt ?? 0) * 1000)
  }
  const note = ({ event, id, time, subject, end }: AuditEntry) => {
    if (id === undefined || time >= (expiries.get(id) ?? 0)) return
    if (event === 'impersonation.ended') {
      endings.set(id, { time, by: end?.by && end.by.sub === subject ? 'you' : 'others' })
    } else if (event === 'support.ended' && !endings.has(id)) {
      endings.set(id, { time, by: 'their word' })
    }
  }
  for (const { entry } of page.toReversed()) note(entry)

  let cursor = page[0]?.cursor
  for (let left = MAX_SCANNED; left > 0 && cursor !== undefined; left -= CHUNK) {
    const open = [...expiries].filter(([id]) => !endings.has(id)).map(([, expiry]) => expiry)
    if (open.length === 0) break
    const latest = Math.max(...open) + SKEW
    const chunk = await store.after(cursor, CHUNK, 'without requests')
    for (const { entry } of chunk) {
      if (!entry) continue
      if (entry.time > latest) return endings
      note(entry)
    }
    cursor = chunk.length < CHUNK ? undefined : chunk.at(-1)?.cursor
  }
  return endings
}
