import {
  type AuditRow,
  decodeEntry,
  USED_EVENT,
  useKindOf,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, StoredEntry } from '../ledger/store.ts'
import type { DescribedUse, UseInWords } from './use-words.ts'
import { describedUse, wordsForUse } from './use-words.ts'

/** `Looked at your orders`, three times. */
export interface Done {
  /** In the words of the application. At most 200 characters. */
  readonly text: string
  /** 1 or more. */
  readonly count: number
  /** Time of the last one. */
  readonly at: number
  /** `true` if the API refused it, so that it did not happen. */
  readonly refused: boolean
}

/** The requests of an impersonation, as answers have them. */
export interface WhatWasDone {
  /** Requests in words, the first first. At most 50. */
  readonly did: readonly Done[]
  /**
   * The numbers of requests for which the deployment has no words: without `account.describe`, or if it
   * failed.
   */
  readonly more?: { readonly reads: number; readonly changes: number; readonly refused: number }
}

/** The largest number of different requests of an impersonation in words. The others are counted. */
const MAX_ACTS_SHOWN = 50
/** The largest number of entries of an impersonation that are read. The others are counted. */
const MAX_ENTRIES_READ = 1000
const ENTRIES_PER_READ = 500

/** Requests for which there are no words. */
type Counted = Record<'changes' | 'reads' | 'refused', number>

/**
 * Sums up what was done, in the words of the deployment, as if it were one impersonation. What it hides is not told.
 *
 * @param describe without it, the requests are counted
 */
export async function whatWasDone(
  store: Pick<AuditStore, 'timeline'>,
  rows: readonly AuditRow[],
  describe: UseInWords | undefined,
  language: string,
): Promise<WhatWasDone> {
  // A request that the API answered with an error did nothing: words may tell it, numbers do not.
  const wordless: Counted = { reads: 0, changes: 0, refused: 0 }
  const did = new Map<string, Done>()
  for (const { id, reads, changes, refused, failed } of rows) {
    wordless.reads += reads
    wordless.changes += changes
    wordless.refused += refused
    if (!describe || reads + changes + refused + failed === 0) continue
    for (const { use, count, at } of await readUses(store, id)) {
      const words = wordsForUse(use, describe, language)
      if (words.kind === 'none') continue
      if (words.kind === 'shown' && !addTo(did, words.text, { use, count, at })) continue
      const kind = useKindOf(use)
      // The row may be older than the entries.
      if (kind !== 'failed') wordless[kind] = Math.max(0, wordless[kind] - count)
    }
  }
  const isCounted = Object.values(wordless).some((count) => count > 0)
  return { did: [...did.values()], ...(isCounted && { more: wordless }) }
}

interface Used {
  readonly use: DescribedUse
  readonly count: number
  /** Time of the last one. */
  readonly at: number
}

/** The requests of an impersonation, the first first. */
async function readUses(store: Pick<AuditStore, 'timeline'>, id: string): Promise<Used[]> {
  const uses: Used[] = []
  let after: string | undefined
  for (let read = 0; read < MAX_ENTRIES_READ; read += ENTRIES_PER_READ) {
    const entries = await store.timeline(id, { after, limit: ENTRIES_PER_READ })
    uses.push(...entries.flatMap(usedIn))
    if (entries.length < ENTRIES_PER_READ) break
    after = entries.at(-1)?.cursor
  }
  return uses
}

function usedIn({ text }: StoredEntry): Used[] {
  const entry = text === undefined ? undefined : decodeEntry(text)
  if (entry?.event !== USED_EVENT || !entry.use) return []
  return [{ use: describedUse(entry.use), count: entry.count ?? 1, at: entry.timeMs }]
}

/** @returns false where too much is told already */
function addTo(did: Map<string, Done>, text: string, { use, count, at }: Used): boolean {
  const { refused } = use
  const key = `${refused} ${text}`
  const before = did.get(key)
  if (!before && did.size >= MAX_ACTS_SHOWN) return false
  did.set(key, {
    text,
    count: count + (before?.count ?? 0),
    at: Math.max(at, before?.at ?? 0),
    refused,
  })
  return true
}
