import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLocalJWKSet } from 'jose'
import { createSqliteAudit } from '../../src/audit/sqlite.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { Broken } from '../../src/verify/broken.ts'
import { type Verification, type VerificationInput, verify } from '../../src/verify/verification.ts'
import {
  type ExportedEntry,
  history,
  isCheckpoint,
  KEEP_FOR,
  linesOfExport,
  signer,
} from './history.ts'

export const provider = await signer()

type Options = Partial<Omit<VerificationInput, 'read'>>

export function verified(lines: readonly string[], options: Options = {}): Promise<Verification> {
  const keys = createLocalJWKSet({ keys: [provider.jwk] })
  async function* read() {
    for (const line of lines) yield `${line}\n`
  }
  return verify({ read, keys, ...options })
}

/** What is said to be broken, as the command prints it. */
export async function broken(lines: readonly string[], options: Options = {}) {
  const error = await verified(lines, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof Broken)) throw new Error(`nothing was found to be broken: ${error}`)
  return { told: error.message, ...error.place }
}

/** The place of the entry in the file: the n-th whose text is there, or is not. */
export const nth = (
  entries: readonly ExportedEntry[],
  n: number,
  has: 'no text' | 'text' = 'text',
) =>
  entries.flatMap((entry, index) => ((entry.text === undefined) === (has === 'text') ? [] : index))[
    n
  ] ?? expect.fail()

export interface Exported {
  readonly store: AuditStore
  /** An export of day 50, and the entries in it. */
  readonly lines: string[]
  readonly entries: ExportedEntry[]
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
    ...{ store, lines, elsewhere },
    entries: lines.filter((line) => !isCheckpoint(line)).map((line) => JSON.parse(line)),
    async dispose() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}
