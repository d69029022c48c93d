import { createHash } from 'node:crypto'
import {
  type ProofClaims,
  pathOf,
  rootOf,
  type Seal,
  sealHashOf,
} from 'oidc-provider-impersonation-verify/chain'
import { asciiJson, DAY_MS, ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { readSeals } from '../readable.ts'
import { claimsOf, ENTRIES_PER_SEAL, type Seals } from '../sealing/seals.ts'
import type { AuditStore, StoredEntry, StoredSeal } from '../store.ts'

/** The proof of one impersonation cannot be signed: somebody changed the storage. */
export class Unprovable extends Error {
  override readonly name = 'Unprovable'
}

/**
 * A file that proves one impersonation, as JSON Lines in ASCII: its id, the seals in which its entries stand, each with
 * these entries and their paths to its root, and what the provider signs of all these lines. Before it signs, all seals are
 * computed again from the first entry of the impersonation to a day after the last one: so nothing of it is missing.
 * The file has nothing of another impersonation.
 *
 * @throws Unprovable
 */
export async function* proveOne(
  store: AuditStore,
  { seal, sign }: Seals,
  id: string,
): AsyncGenerator<string> {
  await store.assertSchema()
  await seal()
  const own = await store.timeline(id, { limit: Number.MAX_SAFE_INTEGER })
  const [first, last] = [own[0], own.at(-1)]
  const from = first && (await store.sealOf(first.number))
  if (!last || from === undefined) throw new Unprovable('it is not sealed yet: try again later')
  const content = createHash('sha256')
  const lined = (value: unknown) => {
    const line = `${asciiJson(value)}\n`
    content.update(line)
    return line
  }
  yield lined({ proves: id })
  const left = new Set(own.map(({ number }) => number))
  let claims: Seal | undefined
  for await (const { stored, seal, entries } of computedSeals(store, from)) {
    claims = seal
    const digests = entries.map(({ digest }) => digest)
    const found = entries.filter((entry) => isAbout(entry, id))
    if (found.length > 0) yield lined({ seal: stored.jws })
    for (const entry of found) {
      left.delete(entry.number)
      const { number, digest, text } = entry
      const index = entries.indexOf(entry)
      yield lined({ entry: { number, digest, text, index, path: pathOf(digests, index) } })
    }
    if (seal.time > last.time + DAY_MS) break
  }
  if (!claims || [...left].some((number) => number <= (claims?.last ?? 0))) {
    throw new Unprovable('entries of it are in no seal')
  }
  const proof: ProofClaims = { content: content.digest('base64url'), time: claims.time }
  yield `${asciiJson({ proof: await sign({ ...proof }) })}\n`
}

/** An entry of the impersonation, or one that says that it was erased. */
function isAbout({ row, text }: StoredEntry, id: string): boolean {
  return row === id || Boolean(text?.includes(`"${ERASED_EVENT}"`) && text.includes(`"${id}"`))
}

/** Seals from a number on, each with its entries. @throws Unprovable where one is not that of its entries */
async function* computedSeals(
  store: AuditStore,
  from: number,
): AsyncGenerator<{ stored: StoredSeal; seal: Seal; entries: readonly StoredEntry[] }> {
  let before = { last: 0, hash: '' }
  for await (const stored of readSeals(store, Math.max(0, from - 2))) {
    const seal = claimsOf(stored)
    if (seal.number >= from) {
      const read = await store.entries({ after: before.last, limit: ENTRIES_PER_SEAL })
      const entries = read.filter(({ number }) => number <= seal.last)
      const root = rootOf(entries.map(({ digest }) => digest))
      const isRight = root === seal.root && sealHashOf(before.hash, root) === seal.hash
      if (!isRight) throw new Unprovable(`the seal ${seal.number} is not that of its entries`)
      yield { stored, seal, entries }
    }
    before = seal
  }
}
