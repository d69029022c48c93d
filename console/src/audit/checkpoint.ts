import type { AuditStore, ChainHead, RemovedFrom } from './store.ts'

/** `provider.impersonation.signCheckpoint`. */
export type SignCheckpoint = (claims: Readonly<Record<string, unknown>>) => Promise<string>

/** What the audit was at a time. */
export interface Checkpoint {
  /** In milliseconds since the epoch. */
  readonly time: number
  readonly heads: readonly ChainHead[]
  readonly removed: readonly RemovedFrom[]
}

/** The claims of a signed checkpoint: one of several, where there are many chains. */
export interface SignedClaims {
  readonly version: 1
  readonly time: number
  /** From 1 to `parts`. Each part has other chains. */
  readonly part: number
  readonly parts: number
  /**
   * What was removed is older than this, in milliseconds since the epoch; 0 where nothing is removed
   * because of its age. Absent where the store removes entries whatever their age.
   */
  readonly before?: number
  readonly heads: readonly ChainHead[]
  readonly removed: readonly SignedRemoval[]
}

export interface SignedRemoval {
  readonly writer: string
  readonly upTo: number
  /** The first and the last sequence of each run of entries that are still there. */
  readonly except: readonly (readonly [first: number, last: number])[]
}

/** How long the chains of one part are as JSON. `signCheckpoint` takes 1,048,576 characters. */
const PART_LENGTH = 900_000

/** Signs a checkpoint, in as many parts as it needs, and keeps them. */
export async function signCheckpoints(
  store: AuditStore,
  sign: SignCheckpoint,
  checkpoint: Checkpoint,
): Promise<string[]> {
  const { time } = checkpoint
  const { keepFor = time / 1000, removesEarly } = store
  const before = removesEarly ? {} : { before: Math.floor(time - keepFor * 1000) }
  const parts = partsOf(checkpoint)
  const signed: string[] = []
  for (const [index, chains] of parts.entries()) {
    const place = { part: index + 1, parts: parts.length }
    const claims: SignedClaims = { version: 1, time, ...place, ...before, ...chains }
    signed.push(await sign({ ...claims }))
  }
  for (const jws of signed) await store.keepCheckpoint(jws, time)
  return signed
}

type Chains = Pick<SignedClaims, 'heads' | 'removed'>

function partsOf({ heads, removed }: Checkpoint): Chains[] {
  const removals = new Map(removed.map((removal) => [removal.writer, removal]))
  const parts: { heads: ChainHead[]; removed: SignedRemoval[] }[] = [{ heads: [], removed: [] }]
  let length = 0
  for (const { writer, sequence, hash } of heads) {
    const head = { writer, sequence, hash }
    const found = removals.get(writer)
    const removal = found && { writer, upTo: found.upTo, except: runsOf(found.except) }
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

function runsOf(sequences: readonly number[]): (readonly [number, number])[] {
  const runs: [number, number][] = []
  for (const sequence of sequences.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && sequence <= last[1] + 1) last[1] = sequence
    else runs.push([sequence, sequence])
  }
  return runs
}

/** @returns `undefined` for claims that this version cannot read */
export function claimsOf(value: unknown): SignedClaims | undefined {
  return isClaims(value) ? value : undefined
}

function isClaims(value: unknown): value is SignedClaims {
  return (
    isObject(value) &&
    value.version === 1 &&
    [value.time, value.part, value.parts].every(isNumber) &&
    (value.before === undefined || isNumber(value.before)) &&
    Array.isArray(value.heads) &&
    value.heads.every(
      (head: unknown) =>
        isObject(head) &&
        typeof head.writer === 'string' &&
        isNumber(head.sequence) &&
        typeof head.hash === 'string',
    ) &&
    Array.isArray(value.removed) &&
    value.removed.every(
      (removal: unknown) =>
        isObject(removal) &&
        typeof removal.writer === 'string' &&
        isNumber(removal.upTo) &&
        Array.isArray(removal.except) &&
        removal.except.every(
          (run) => Array.isArray(run) && run.length === 2 && run.every(isNumber),
        ),
    )
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
