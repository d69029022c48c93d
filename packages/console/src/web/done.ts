import {
  type AuditRow,
  decodeEntry,
  USED_EVENT,
  useKindOf,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../ledger/store.ts'
import { type UseInWords, wordsForUse } from './use-words.ts'

/** `Looked at your orders`, three times. */
export interface Done {
  /** In the words of the application. At most 200 characters. */
  readonly text: string
  /** 1 or more. */
  readonly count: number
  /** The time of the last one. */
  readonly at: number
  /** `true` if the API refused it, so that it did not happen. */
  readonly refused: boolean
}

/** The requests of an impersonation, as answers have them. */
export type WhatWasDone = Awaited<ReturnType<typeof whatWasDone>>

/** The largest number of different requests of an impersonation in words. The others are counted. */
const MAX_ACTS_SHOWN = 50
/** The largest number of entries of an impersonation that are read. The others are counted. */
const MAX_ENTRIES_READ = 1000

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
) {
  // A request that the API answered with an error did nothing: words may tell it, numbers do not.
  const wordless = { reads: 0, changes: 0, refused: 0 }
  const did = new Map<string, Done>()
  for (const { id, reads, changes, refused, failed } of rows) {
    wordless.reads += reads
    wordless.changes += changes
    wordless.refused += refused
    if (!describe || reads + changes + refused + failed === 0) continue
    for (const { text: stored = '' } of await store.timeline(id, { limit: MAX_ENTRIES_READ })) {
      const { event, use: told, count = 1, timeMs = 0 } = decodeEntry(stored) ?? {}
      if (event !== USED_EVENT || !told) continue
      const refused = told.refused !== undefined
      const text = wordsForUse(told, refused, describe, language)
      if (text === undefined) continue
      if (text !== '') {
        const key = `${refused} ${text}`
        const before = did.get(key)
        // Too much is told already.
        if (!before && did.size >= MAX_ACTS_SHOWN) continue
        did.set(key, {
          text,
          count: count + (before?.count ?? 0),
          at: Math.max(timeMs, before?.at ?? 0),
          refused,
        })
      }
      const kind = useKindOf(told)
      // The row may be older than the entries.
      if (kind !== 'failed') wordless[kind] = Math.max(0, wordless[kind] - count)
    }
  }
  const isCounted = Object.values(wordless).some((count) => count > 0)
  return {
    /** Requests in words, the first first. */
    did: [...did.values()],
    /** The numbers of requests for which the deployment has no words, or failed. */
    more: isCounted ? wordless : undefined,
  }
}
