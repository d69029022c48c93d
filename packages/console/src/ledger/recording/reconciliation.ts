import type { Impersonation, Provider } from 'oidc-provider-impersonation'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import { log } from '../../kernel/log-line.ts'
import { pages } from '../../kernel/pages.ts'
import { entriesFor, isMissing } from '../missing.ts'
import type { AuditStore } from '../store.ts'
import type { Recorder } from './recorder.ts'

/** A younger entry may be on its way in another process, in milliseconds. */
const ON_ITS_WAY_MS = 60_000
/** After it, all that was there at the start is older than that, in milliseconds. */
const SECOND_RUN_MS = 65_000
/** Processes that start together take turns, in milliseconds. */
const JITTER_MS = 5000
const ROWS_PER_READ = 100

/**
 * Nothing acts unrecorded (I13): an entry can be missing where a process was killed after it had issued,
 * redeemed or ended, and before the entry was stored: then the answer never left. So can those of a process
 * without the console, or from before it was mounted. The provider's records tell what it was. Such an entry
 * says that it was written after a restart.
 *
 * @returns how many entries were written
 * @throws the error of the provider's storage or of the audit's, or one that names rows that cannot be read, after
 * all that could be written
 */
export async function reconcile(
  { impersonation }: { readonly impersonation: Pick<Provider['impersonation'], 'list'> },
  store: AuditStore,
  { recordMissing }: Pick<Recorder, 'recordMissing'>,
  now = Date.now(),
  signal?: AbortSignal,
): Promise<number> {
  const unreadable: string[] = []

  /** Old enough to be missing, and young enough to be kept. */
  function dueEntries(found: Impersonation): readonly AuditEntry[] {
    const entries = entriesFor(found)
    const last = Math.max(...entries.map(({ timeMs }) => timeMs))
    // Its row was removed when its time was over, and is not missing.
    if (store.keepFor !== undefined && last < now - store.keepFor * 1000) return []
    return entries.filter(({ timeMs }) => timeMs < now - ON_ITS_WAY_MS)
  }

  /** One bad entry stops nothing (I17): a row that cannot be read does not hold up the others. */
  async function completePage(items: readonly Impersonation[]): Promise<number> {
    const due = Map.groupBy(items.flatMap(dueEntries), ({ id = '' }) => id)
    if (due.size === 0) return 0
    const sums = await store.sums([...due.keys()])
    const missing = [...due].flatMap(([id, entries]) => {
      const sum = sums.get(id)
      if (sum !== 'unreadable') return entries.filter((entry) => isMissing(sum, entry))
      unreadable.push(id)
      return []
    })
    const written = await Promise.all(missing.map(recordMissing))
    return written.filter(Boolean).length
  }

  let written = 0
  const read = (cursor: string | undefined) => impersonation.list({ limit: ROWS_PER_READ, cursor })
  for await (const { items } of pages(read)) {
    written += await completePage(items)
    if (signal?.aborted) break
  }
  if (written > 0) log(`${written} entries were missing, and were written after a restart`)
  if (unreadable.length > 0) throw new Error(`rows cannot be read: ${unreadable.join(', ')}`)
  return written
}

/** Reconciles at the start, and once more when all from before the start are old enough; and again where it failed. */
export function startReconciliation(
  provider: Parameters<typeof reconcile>[0],
  store: AuditStore,
  recorder: Pick<Recorder, 'recordMissing'>,
) {
  let runs = 0

  async function runTwice(signal: AbortSignal): Promise<void> {
    runs += 1
    await store.open()
    await reconcile(provider, store, recorder, Date.now(), signal)
    if (runs >= 2) void stop()
  }

  const stop = every(() => SECOND_RUN_MS + Math.random() * JITTER_MS, runTwice, {
    says: { failing: 'what is missing cannot be found, until it works' },
    first: Math.random() * JITTER_MS,
  })
  /** Nothing more is begun. */
  return { stop }
}
