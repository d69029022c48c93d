import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { likenessOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'

const HOUR_MS = 3_600_000
/** So many events that are alike have an entry each, in an hour. */
const MAX_ALIKE = 20
const MAX_KEYS = 10_000

interface Alike {
  readonly since: number
  count: number
  /** The last one that has no entry. */
  last: AuditEntry | undefined
}

/**
 * Counts what repeats: a replay costs an attacker nothing, and its entries would hide all others.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function repetitions(now = () => Date.now()) {
  const known = new BoundedMap<string, Alike>(MAX_KEYS)

  const isOver = ({ since }: Alike) => now() - since >= HOUR_MS

  return {
    /** Returns true if the event is counted with others, and has no entry of its own. */
    isCounted(entry: AuditEntry): boolean {
      const key = likenessOf(entry)
      if (key === undefined) return false
      const before = known.get(key)
      const isNew = !before || (isOver(before) && !before.last)
      const alike = isNew ? { since: now(), count: 0, last: undefined } : before
      // An event that repeats all the time is not forgotten.
      known.set(key, alike)
      alike.count += 1
      if (alike.count <= MAX_ALIKE) return false
      alike.last = entry
      return true
    },
    /** One entry for all that were counted together, where their hour is over. @param isEnd whether it is not waited for */
    due(isEnd = false): AuditEntry[] {
      const due: AuditEntry[] = []
      for (const [key, alike] of known) {
        if (!alike.last || !(isEnd || isOver(alike))) continue
        due.push({ ...alike.last, count: alike.count - MAX_ALIKE })
        known.delete(key)
      }
      return due
    },
  }
}
