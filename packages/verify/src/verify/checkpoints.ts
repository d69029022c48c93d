import { createHash } from 'node:crypto'
import type { JWTVerifyGetKey } from 'jose'
import type { Erased } from '../format/entry.ts'
import { Broken } from './broken.ts'
import { erasedIn, mayErase } from './erasures.ts'
import { readLines } from './lines.ts'
import { isCheckpoint, parse } from './parsed.ts'
import { judge, type Vouched } from './signatures.ts'

/** A checkpoint that was kept elsewhere, and what to call it. */
export interface KeptCheckpoint {
  readonly jws: string
  readonly name: string
}

export interface CheckpointsInput {
  /** Reads the file from its beginning. It is called twice. */
  read(): AsyncIterable<Buffer>
  readonly keys: JWTVerifyGetKey
  readonly issuer?: string | undefined
  readonly kept?: readonly KeptCheckpoint[] | undefined
}

export interface Checkpoints {
  /** All that are valid. */
  readonly all: readonly Vouched[]
  /** The parts of the one at the end of the file. */
  readonly last: readonly Vouched[]
  readonly end: Vouched
  /** Those that were kept elsewhere. */
  readonly kept: readonly Vouched[]
  /** How many are signed with a key that is not known. */
  readonly unknown: number
  /** What lines say was erased: not judged. */
  readonly erased: readonly Erased[]
  /** The SHA-256, base64url, of the lines before the first one. */
  readonly content: string
}

/** @throws Broken */
export async function readCheckpoints(input: CheckpointsInput): Promise<Checkpoints> {
  const { keys } = input
  const { found: inFile, erased, lines, content } = await checkpointLines(input)
  const final = inFile.at(-1)
  if (!final || final.line !== lines) {
    throw new Broken('the file does not end with a checkpoint: it is cut off', { line: lines })
  }
  const judged = await judge(final.jws, keys, input.issuer)
  if (!('checkpoint' in judged)) throw new Broken(judged.problem, { line: final.line })
  const end = judged.checkpoint
  const { issuer, time, part, parts } = end

  const all: Vouched[] = []
  const last: Vouched[] = []
  let unknown = 0
  for (const { jws, line } of inFile) {
    const each = await judge(jws, keys, issuer)
    const isLast = line > lines - parts
    if ('checkpoint' in each) {
      all.push(each.checkpoint)
      if (isLast) last.push(each.checkpoint)
    } else if (isLast || !each.isKeyUnknown) throw new Broken(each.problem, { line })
    else unknown += 1
  }
  const isWhole =
    part === parts &&
    last.length === parts &&
    last.every(
      (each, index) => each.part === index + 1 && each.parts === parts && each.time === time,
    )
  if (!isWhole) throw new Broken('parts of the last checkpoint are missing', { line: lines })
  if (last.some((each) => each.content === undefined)) {
    throw new Broken('the last checkpoint is not that of an export', { line: lines })
  }
  const kept: Vouched[] = []
  for (const { jws, name } of input.kept ?? []) {
    const each = await judge(jws, keys, issuer)
    if (!('checkpoint' in each)) throw new Broken(`${name}: ${each.problem}`, {})
    kept.push(each.checkpoint)
  }
  return { all: [...all, ...kept], last, end, kept, unknown, erased, content }
}

async function checkpointLines({ read }: CheckpointsInput) {
  const found: { jws: string; line: number }[] = []
  const erased: Erased[] = []
  const content = createHash('sha256')
  let lines = 0
  for await (const { lines: some, bytes } of readLines(read())) {
    const hasErasure = mayErase(bytes)
    let signed = 0
    for (const line of some) {
      lines = line.number
      if (!isCheckpoint(line)) {
        if (found.length === 0) signed += line.length
        const ids = hasErasure ? erasedIn(line.text) : undefined
        if (ids) erased.push(ids)
        continue
      }
      const parsed = parse(line)
      if (parsed.kind === 'checkpoint') found.push({ jws: parsed.jws, line: line.number })
    }
    content.update(bytes.subarray(0, signed))
  }
  return { found, erased, lines, content: content.digest('base64url') }
}
