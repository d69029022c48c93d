import {
  type ChainHead,
  present,
  type RemovedFrom,
  type SignedClaims,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../store.ts'

/** Signs claims as a checkpoint, by the provider's key. */
export type SignCheckpoint = (claims: Readonly<Record<string, unknown>>) => Promise<string>

/** What the audit was at a time. */
export interface Checkpoint {
  /** When `heads` were read, in milliseconds since the epoch. */
  readonly time: number
  readonly heads: readonly ChainHead[]
  readonly removed: readonly RemovedFrom[]
  /** When `removed` was read, in milliseconds since the epoch. @defaultValue `time` */
  readonly removedAt?: number | undefined
  /** Of an export: the SHA-256, base64url, of the lines that it stands for. */
  readonly content?: string | undefined
}

/** How long the chains of one part are as JSON. `signCheckpoint` takes 1,048,576 characters. */
const PART_LENGTH = 900_000

/** Signs a checkpoint, in as many parts as it needs, and keeps them. */
export async function signCheckpoints(
  store: AuditStore,
  sign: SignCheckpoint,
  checkpoint: Checkpoint,
): Promise<string[]> {
  const { time, removedAt = time, content } = checkpoint
  const { keepFor } = store
  const before = keepFor === undefined ? 0 : Math.max(0, Math.floor(removedAt - keepFor * 1000))
  const parts = partsOf(checkpoint)
  const signed: string[] = []
  for (const [index, chains] of parts.entries()) {
    const part = { part: index + 1, parts: parts.length }
    const claims: SignedClaims = {
      version: 1,
      time,
      ...part,
      before,
      ...present({ content }),
      ...chains,
    }
    signed.push(await sign({ ...claims }))
  }
  for (const jws of signed) await store.keepCheckpoint(jws, time)
  return signed
}

type ChainHeads = Pick<SignedClaims, 'heads' | 'removed'>

function partsOf({ heads, removed }: Checkpoint): ChainHeads[] {
  const removals = new Map(removed.map((removal) => [removal.writer, removal]))
  const parts: { heads: ChainHead[]; removed: RemovedFrom[] }[] = [{ heads: [], removed: [] }]
  let length = 0
  for (const { writer, sequence, hash } of heads) {
    const head = { writer, sequence, hash }
    const removal = removals.get(writer)
    const added = JSON.stringify([head, removal]).length
    if (length > 0 && length + added > PART_LENGTH) {
      parts.push({ heads: [], removed: [] })
      length = 0
    }
    length += added
    const part = parts.at(-1)
    part?.heads.push(head)
    if (removal) part?.removed.push(removal)
  }
  return parts
}
