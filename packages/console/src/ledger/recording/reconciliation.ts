import type { Impersonation, Provider } from 'oidc-provider-impersonation'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import { log } from '../../kernel/log-line.ts'
import { pages } from '../../kernel/pages.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import { entriesFor, isMissing } from '../missing.ts'
import type { AuditStore } from '../store.ts'
import type { Recorder } from './recorder.ts'

/** Writes what the provider knows and the audit does not, when the process starts. */
export interface Reconciliation {
  /**
   * Does it now, once.
   *
   * @returns how many entries were written
   * @throws the error of the provider's storage or of the audit's, or one that names rows that cannot be read, after
   * all that could be written
   */
  run(): Promise<number>
  /** Resolves when nothing more is begun. */
  stop(): Promise<void>
}

export interface ReconciliationOptions {
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
  /** Whether it runs by itself. @defaultValue true */
  readonly isTimed?: boolean | undefined
}

/** What is younger may be on its way in another process, in milliseconds. */
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
 * Runs at the start, and once more when all from before the start are old enough.
 */
export function startReconciliation(
  { impersonation }: { readonly impersonation: Pick<Provider['impersonation'], 'list'> },
  store: Pick<AuditStore, 'keepFor' | 'open' | 'sums'>,
  { recordMissing }: Pick<Recorder, 'recordMissing'>,
  { now = () => Date.now(), isTimed = true }: ReconciliationOptions = {},
): Reconciliation {
  const over = new AbortController()
  const unreadable = new Set<string>()

  /** Old enough to be missing, and young enough to be kept. */
  function dueEntries(found: Impersonation): readonly AuditEntry[] {
    const entries = entriesFor(found)
    const last = Math.max(...entries.map(({ timeMs: time }) => time))
    // Its row was removed when its time was over, and is not missing.
    if (store.keepFor !== undefined && last < now() - store.keepFor * 1000) return []
    return entries.filter(({ timeMs: time }) => time < now() - ON_ITS_WAY_MS)
  }

  /**
   * One bad entry stops nothing (I17): a row that cannot be read does not hold up the others.
   *
   * @returns how many entries were written
   */
  async function completePage(items: readonly Impersonation[]): Promise<number> {
    const due = items
      .map((found) => ({ id: found.id, entries: dueEntries(found) }))
      .filter(({ entries }) => entries.length > 0)
    if (due.length === 0) return 0
    const sums = await store.sums(due.map(({ id }) => id))
    const missing = due.flatMap(({ id, entries }) => {
      const sum = sums.get(id)
      if (sum !== 'unreadable') return entries.filter((entry) => isMissing(sum, entry))
      unreadable.add(id)
      return []
    })
    const written = await Promise.all(missing.map(recordMissing))
    return written.filter((isWritten) => isWritten).length
  }

  async function run(): Promise<number> {
    let written = 0
    unreadable.clear()
    const read = (cursor: string | undefined) =>
      impersonation.list({ limit: ROWS_PER_READ, cursor })
    for await (const { items } of pages(read)) {
      written += await completePage(items)
      if (over.signal.aborted) break
    }
    if (written > 0) log(`${written} entries were missing, and were written after a restart`)
    if (unreadable.size > 0) throw new Error(`rows cannot be read: ${[...unreadable].join(', ')}`)
    return written
  }

  const done = new AbortController()
  let runs = 0

  /** Twice, and again where it failed. */
  async function runTwice(): Promise<void> {
    runs += 1
    await store.open()
    await run()
    if (runs >= 2) done.abort()
  }

  const running = isTimed
    ? untilAborted(
        every(() => SECOND_RUN_MS + Math.random() * JITTER_MS, runTwice, {
          signal: AbortSignal.any([over.signal, done.signal]),
          says: { failing: 'what is missing cannot be found, until it works' },
          first: Math.random() * JITTER_MS,
        }),
        over.signal,
      )
    : Promise.resolve()

  return {
    run,
    async stop() {
      over.abort()
      await running
    },
  }
}
