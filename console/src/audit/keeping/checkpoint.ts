import { present } from '#glue/present'
import {
  listOf,
  objectOf,
  oneOf,
  optional,
  type Parser,
  text,
  unlessWrong,
  wholeNumber,
} from '../parsers.ts'
import type { AuditStore, ChainHead, RemovedFrom } from '../store.ts'

/** `provider.impersonation.signCheckpoint`. */
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

/** The claims of a signed checkpoint: one of several, where there are many chains. */
export interface SignedClaims {
  readonly version: 1
  readonly time: number
  /** From 1 to `parts`. Each part has other chains. */
  readonly part: number
  readonly parts: number
  /**
   * What was removed is older than this, in milliseconds since the epoch; 0 where nothing is removed
   * because of its age.
   */
  readonly before: number
  readonly heads: readonly ChainHead[]
  readonly removed: readonly SignedRemoval[]
  /** Of an export: the SHA-256, base64url, of the lines that it stands for. */
  readonly content?: string | undefined
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

/** What the provider signs of a chain at its beginning. */
export interface Beginning {
  readonly version: 1
  /** The name of the writer. */
  readonly begins: string
  /** In milliseconds since the epoch. */
  readonly time: number
}

const anyNumber = wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
const anyText = text(0, Number.POSITIVE_INFINITY)
const version = oneOf([1])

/** @returns `undefined` for claims that are no beginning */
export const beginningOf = unlessWrong(
  objectOf<Beginning>({ version, begins: anyText, time: anyNumber }),
)

const run: Parser<readonly [number, number]> = (value, path) => {
  const [first, last, ...others] = listOf(anyNumber)(value, path)
  if (first !== undefined && last !== undefined && others.length === 0) return [first, last]
  throw new TypeError(`${path} must be two numbers`)
}

/** @returns `undefined` for claims that this version cannot read */
export const claimsOf = unlessWrong(
  objectOf<SignedClaims>({
    version,
    time: anyNumber,
    part: anyNumber,
    parts: anyNumber,
    before: anyNumber,
    heads: listOf(objectOf<ChainHead>({ writer: anyText, sequence: anyNumber, hash: anyText })),
    removed: listOf(
      objectOf<SignedRemoval>({ writer: anyText, upTo: anyNumber, except: listOf(run) }),
    ),
    content: optional(anyText),
  }),
)
