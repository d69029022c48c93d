import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { hashOf } from 'oidc-provider-impersonation-verify/chain'
import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../../src/ledger/batch.ts'
import type { SignCheckpoint } from '../../src/ledger/keeping/checkpoint.ts'
import { exportEverything } from '../../src/ledger/keeping/export-everything.ts'
import { startRetention } from '../../src/ledger/keeping/retention.ts'
import { type Batches, batches } from '../../src/ledger/recording/batches.ts'
import { beginningOfChain } from '../../src/ledger/recording/beginning.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import {
  act,
  exported,
  issued,
  replayed,
  started,
  T,
  used,
} from '../ledger/stores/contract/support.ts'

export const ISSUER = 'https://id.example.com'
export const TYPE = 'impersonation-audit-checkpoint+jwt'
export const DAY = 86_400_000

/** A provider that signs. */
export async function signer({ issuer = ISSUER, kid = 'a', typ = TYPE } = {}) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const signAs =
    (changed: { issuer?: string; kid?: string; typ?: string }): SignCheckpoint =>
    (checkpoint) =>
      new SignJWT({ checkpoint })
        .setProtectedHeader({ alg: 'ES256', kid: changed.kid ?? kid, typ: changed.typ ?? typ })
        .setIssuer(changed.issuer ?? issuer)
        .setIssuedAt()
        .sign(privateKey)
  return { jwk, sign: signAs({}), signAs }
}

/** How long rows are kept, in seconds: 30 days. */
export const KEEP_FOR = 2_592_000
/** Day 50 of the audit. */
export const END = T + 50 * DAY

/** A chain that begins as the provider signed it. */
export async function chain(sign: SignCheckpoint, time: number): Promise<Batches> {
  const begun = batches()
  begun.begin(await beginningOfChain(sign, begun.writer, time))
  return begun
}

/** Entries of one or two days of `count` impersonations, by two writers. */
async function days(
  { store, sign }: { store: AuditStore; sign: SignCheckpoint },
  names: readonly string[],
  first: number,
): Promise<Batch[]> {
  const [one, two] = [await chain(sign, first), await chain(sign, first)]
  const written: Batch[] = []
  for (const [index, name] of names.entries()) {
    const time = first + index * 1000
    const begun = [issued(name, time), started(name, time + 1), used(name, time + 2)]
    const again = [replayed(name, time + 3), replayed(name, time + 4), exported(time + 5)]
    for (const [writer, entries] of [
      [one, begun],
      [two, [...again, used(name, time + 6, { method: 'POST' })]],
    ] as const) {
      const batch = writer.next(entries)
      await store.append(batch)
      written.push(batch)
    }
  }
  return written
}

/**
 * An audit of 50 days, of four processes: what is old enough is removed, but for a row on hold, and a
 * checkpoint is kept on day 1, 40 and 49.
 */
export async function history(store: AuditStore, sign: SignCheckpoint): Promise<void> {
  let now = T + DAY
  // It runs when it is told to.
  const retention = startRetention(store, { sign, interval: 2 ** 30, now: () => now })
  await days({ store, sign }, ['a', 'held', 'b', 'c'], T)
  const lead = await chain(sign, T + 2000)
  await store.append(lead.next([act('held', 'held', T + 2000, { note: 'a case' })]))
  await retention.run()
  now = T + 40 * DAY
  await days({ store, sign }, ['d', 'e', 'f'], now - 1_000_000)
  await retention.run()
  now = T + 49 * DAY
  await days({ store, sign }, ['g'], now - 1_000_000)
  await retention.run()
  await retention.stop()
}

export async function linesOfExport(
  store: AuditStore,
  sign: SignCheckpoint,
  now = END,
  only?: string,
): Promise<string[]> {
  let text = ''
  for await (const part of exportEverything(store, { sign, now: () => now, only })) text += part
  return text.split('\n').slice(0, -1)
}

export interface ExportedEntry {
  writer: string
  sequence: number
  hash: string
  digest: string
  text?: string
  row?: string
}

export const isCheckpoint = (line: string) => line.startsWith('{"checkpoint"')
export const isEntry = (line: string) => line.startsWith('{"writer"')

/** Changes the entries of an export; heads, rows and checkpoints stay. */
export function changed(
  lines: readonly string[],
  change: (entries: ExportedEntry[]) => unknown,
): string[] {
  const entries: ExportedEntry[] = lines.filter(isEntry).map((line) => JSON.parse(line))
  const after = change(entries)
  const left: unknown[] = Array.isArray(after) ? after : entries
  return [
    ...lines.slice(0, lines.findIndex(isEntry)),
    ...left.map(asciiJson),
    ...lines.filter(isCheckpoint),
  ]
}

/** Makes numbers and hashes of all chains anew, as one who can write to the storage would. */
export function rechain(entries: readonly ExportedEntry[]): ExportedEntry[] {
  const chains = new Map<string, { sequence: number; hash: string }>()
  return entries.map((entry) => {
    const before = chains.get(entry.writer) ?? { sequence: 0, hash: entry.writer }
    const sequence = before.sequence + 1
    const hash = hashOf(before.hash, entry.digest)
    chains.set(entry.writer, { sequence, hash })
    return { ...entry, sequence, hash }
  })
}
