import { createHash } from 'node:crypto'
import { digestParts } from 'oidc-provider-impersonation-verify/chain'
import { asciiJson, type ChainHead, ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, StoredEntry } from '../store.ts'
import { type SignCheckpoint, signCheckpoints } from './checkpoint.ts'
import { settledPermits } from './settled-permits.ts'
import { settledRows } from './settled-rows.ts'

/** How many entries are read at once. */
const ENTRIES_PER_READ = 1000
/** How many kept checkpoints are exported. */
const MAX_CHECKPOINTS = 100

export interface EverythingOptions {
  readonly sign: SignCheckpoint
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
  /**
   * The id of a row: the export has this row alone, and of all other entries what the chains need, not
   * their texts. It proves the row as the export of everything does.
   * @defaultValue all rows and texts
   */
  readonly only?: string | undefined
}

/**
 * All that the audit has, as JSON Lines in ASCII, for the command `verify`:
 * - with `only`, the id of the row that it is about;
 * - the heads of all chains;
 * - each row, with the entries that it is the sum of, and how often each happened. It has all entries up
 *   to those heads, and may have some that were stored later;
 * - each permit in the same way, but for `only`;
 * - the entries of all chains, up to their heads at that time, in the order in which they were stored:
 *   writer, sequence, hash, digest, and the text where it was not removed. With `only`, entries of other
 *   rows have no more than these four;
 * - the checkpoints that were kept, and as the last lines the checkpoint of this export, which is kept as
 *   well. It signs the SHA-256 of all lines before the first checkpoint.
 */
export async function* exportEverything(
  store: AuditStore,
  { sign, now, only }: EverythingOptions,
): AsyncGenerator<string> {
  await store.assertSchema()
  const content = createHash('sha256')
  const lined = (lines: readonly unknown[]) => {
    const text = lines.map((line) => `${asciiJson(line)}\n`).join('')
    content.update(text)
    return text
  }
  if (only !== undefined) yield lined([{ only }])
  const first = await store.heads()
  for (let at = 0; at < first.length; at += ENTRIES_PER_READ) {
    yield lined(first.slice(at, at + ENTRIES_PER_READ).map((head) => ({ head: linkOf(head) })))
  }
  for await (const lines of settledRows(store, only)) yield lined(lines)
  if (only === undefined) for await (const lines of settledPermits(store)) yield lined(lines)
  // After the rows and permits, so that these have no entry that is not here. Before the entries: no checkpoint
  // vouches for an entry that is stored meanwhile.
  const heads = await store.heads()
  const time = now()
  const ends = new Map(heads.map(({ writer, sequence }) => [writer, sequence]))
  for (let after: string | undefined; ; ) {
    const page = await store.entries({ after, limit: ENTRIES_PER_READ })
    const lines = page
      .filter(({ writer, sequence }) => sequence <= (ends.get(writer) ?? 0))
      .map((entry) => (isLeftOut(entry, only) ? chainPartOf(entry) : withoutCursor(entry)))
    if (lines.length > 0) yield lined(lines)
    after = page.at(-1)?.cursor
    if (after === undefined) break
  }
  const kept = await store.checkpoints(MAX_CHECKPOINTS)
  for (const checkpoint of kept.toReversed()) yield `${asciiJson({ checkpoint })}\n`
  // After the entries: also what was removed meanwhile.
  const removed = await store.removed()
  const made = { time, heads, removed, removedAt: now(), content: content.digest('base64url') }
  for (const checkpoint of await signCheckpoints(store, sign, made)) {
    yield `${asciiJson({ checkpoint })}\n`
  }
}

function linkOf({ writer, sequence, hash }: ChainHead): ChainHead {
  return { writer, sequence, hash }
}

/**
 * The digest decides: the chain proves it. The first entry of a chain is of no row, and has its proof. So
 * is one that says that entries of the row were erased.
 */
function isLeftOut({ digest, sequence, text }: StoredEntry, only: string | undefined): boolean {
  if (only === undefined) return false
  const row = digestParts(digest)?.row
  if (row !== undefined) return row !== only
  const isErasure = text?.includes(`"${ERASED_EVENT}"`) && text.includes(`"${only}"`)
  return sequence > 1 && !isErasure
}

function chainPartOf({ writer, sequence, hash, digest }: StoredEntry) {
  return { writer, sequence, hash, digest }
}

function withoutCursor({ cursor: _, ...entry }: StoredEntry) {
  return entry
}
