import { hash } from 'node:crypto'

/** RFC 6962 §2.1: "the hash calculations for leaves and nodes differ". */
const [LEAF, NODE] = [Buffer.from([0]), Buffer.from([1])]

const sha256 = (...parts: readonly Buffer[]) => hash('sha256', Buffer.concat(parts), 'buffer')
const nodeOf = (left: Buffer, right: Buffer) => sha256(NODE, left, right)
const leafOf = (digest: string) => sha256(LEAF, Buffer.from(digest))

/** The root of the Merkle tree of digests, base64url. */
export function rootOf(digests: readonly string[]): string {
  let level: readonly Buffer[] = digests.map(leafOf)
  while (level.length > 1) level = pairsOf(level)
  return (level[0] ?? sha256()).toString('base64url')
}

/** The audit path of a leaf, base64url: RFC 6962 §2.1.1. */
export function pathOf(digests: readonly string[], index: number): string[] {
  let level: readonly Buffer[] = digests.map(leafOf)
  const path: string[] = []
  for (let at = index; level.length > 1; at >>= 1) {
    const beside = level[at ^ 1]
    if (beside) path.push(beside.toString('base64url'))
    level = pairsOf(level)
  }
  return path
}

function pairsOf(level: readonly Buffer[]): Buffer[] {
  const next: Buffer[] = []
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = level.slice(at, at + 2)
    if (left) next.push(right ? nodeOf(left, right) : left)
  }
  return next
}

/** The root of the tree of `count` leaves that has a leaf at this place, with this path. */
export function rootOfPath(
  digest: string,
  index: number,
  count: number,
  path: readonly string[],
): string {
  const left = [...path]
  let [hashed, at] = [leafOf(digest), index]
  for (let last = count - 1; last > 0; last >>= 1) {
    // The last node of a level may have none beside it.
    const beside = at === last && at % 2 === 0 ? undefined : left.shift()
    if (beside !== undefined) {
      const other = Buffer.from(beside, 'base64url')
      hashed = at % 2 === 0 ? nodeOf(hashed, other) : nodeOf(other, hashed)
    }
    at >>= 1
  }
  return index < count && left.length === 0 ? hashed.toString('base64url') : ''
}
