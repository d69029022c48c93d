import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt } from 'jose'
import { Broken } from '../../../verify/src/verify/broken.ts'
import {
  type Verification,
  type VerificationInput,
  verify,
} from '../../../verify/src/verify/verification.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { createSqliteAudit } from '../../src/ledger/stores/sqlite/index.ts'
import {
  type ExportedEntry,
  history,
  isCheckpoint,
  isEntry,
  KEEP_FOR,
  linesOfExport,
  signer,
} from './history.ts'

export const provider = await signer()

type Options = Partial<Omit<VerificationInput, 'read'>>

export function verified(lines: readonly string[], options: Options = {}): Promise<Verification> {
  const keys = createLocalJWKSet({ keys: [provider.jwk] })
  async function* read() {
    for (const line of lines) yield Buffer.from(`${line}\n`)
  }
  return verify({ read, keys, ...options })
}

/** The lines as if the provider had signed them as an export, with other claims of its checkpoint. */
export async function resigned(lines: readonly string[], claims: object = {}): Promise<string[]> {
  const others = lines.filter((line) => !isCheckpoint(line))
  const content = createHash('sha256').update(others.map((line) => `${line}\n`).join(''))
  const own = decodeJwt<{ checkpoint: object }>(JSON.parse(lines.at(-1) ?? '').checkpoint)
  const checkpoint = { ...own.checkpoint, content: content.digest('base64url'), ...claims }
  return [...others, JSON.stringify({ checkpoint: await provider.sign(checkpoint) })]
}

/** What is said to be broken, as the command prints it. */
export async function broken(lines: readonly string[], options: Options = {}) {
  const error = await verified(lines, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof Broken)) throw new Error(`nothing was found to be broken: ${error}`)
  return { told: error.message, ...error.position }
}

/**
 * The place of the entry among all: the n-th whose text is there, or is not. No beginning of a chain.
 */
export const nth = (
  entries: readonly ExportedEntry[],
  n: number,
  has: 'no text' | 'text' = 'text',
) =>
  entries.flatMap((entry, index) =>
    entry.sequence === 1 || (entry.text === undefined) === (has === 'text') ? [] : index,
  )[n] ?? expect.fail()

export interface Exported {
  readonly store: AuditStore
  /** An export of day 50, and the entries in it. */
  readonly lines: string[]
  readonly entries: ExportedEntry[]
  /** How many lines are before the first entry: heads and rows. */
  readonly first: number
  /** A checkpoint of day 49, kept elsewhere. */
  readonly elsewhere: { jws: string; name: string }[]
  dispose(): Promise<void>
}

export async function exportedHistory(): Promise<Exported> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-verify-'))
  const store = createSqliteAudit({ file: join(folder, 'audit.db'), keepFor: KEEP_FOR })
  await store.open()
  await history(store, provider.sign)
  const elsewhere = (await store.checkpoints(1)).map((jws) => ({ jws, name: 'elsewhere' }))
  const lines = await linesOfExport(store, provider.sign)
  return {
    ...{ store, lines, elsewhere, first: lines.findIndex(isEntry) },
    entries: lines.filter(isEntry).map((line) => JSON.parse(line)),
    async dispose() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}
