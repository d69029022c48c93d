import type { EndedFollower } from '../contract.ts'

/** How many indices one statement reads at most. */
const PART_SIZE = 20_000
/** How long until everything is read again, in milliseconds. */
const READ_ALL_AFTER_MS = 600_000

/** Where a part begins: after this index of this transaction. */
export interface EndedPosition {
  readonly xid: bigint
  readonly index: number
}

/** A part of what has ended in a list, in the order of transactions. */
export interface EndedPart {
  readonly indices: readonly number[]
  /** The last one; `undefined` for none. */
  readonly last: EndedPosition | undefined
  /** The oldest transaction that was under way. */
  readonly oldest: bigint
  /** Another text after another start of the server, or of another server. */
  readonly server: string
}

type ReadPart = (after: EndedPosition, limit: number) => Promise<EndedPart>

interface Read {
  readonly parts: readonly (readonly number[])[]
  readonly oldest: bigint
  readonly server: string
}

/**
 * Follows what ends by the transactions that end it. A transaction gets its number when it begins to write,
 * and is seen when it commits, maybe after later ones: so each read begins with the oldest transaction that
 * was under way at the read before, and never with the last one that it saw. A time or a sequence would
 * miss ends.
 *
 * The numbers are the server's. Another server, or the same one after a restart, may have lost the last of
 * them: then everything is read, and every ten minutes as well.
 *
 * @param now the monotonic clock, in milliseconds
 */
export function followEnded(readPart: ReadPart, now = () => performance.now()): EndedFollower {
  /** Up to where everything is known. */
  let known: Pick<Read, 'oldest' | 'server'> | undefined
  /** The first read, while it is under way. */
  let first: Promise<Read> | undefined
  let readAllAt = Number.NEGATIVE_INFINITY
  /** Everything, read while others were answered. */
  let readAgain: Read | undefined

  async function readFrom(xid: bigint): Promise<Read> {
    const parts: (readonly number[])[] = []
    let after: EndedPosition = { xid, index: -1 }
    for (let first: EndedPart | undefined; ; ) {
      const part = await readPart(after, PART_SIZE)
      first ??= part
      if (part.server !== first.server) throw new Error('PostgreSQL was restarted during the read')
      parts.push(part.indices)
      if (part.indices.length < PART_SIZE || !part.last) {
        return { parts, oldest: first.oldest, server: first.server }
      }
      after = part.last
    }
  }

  async function readAll(): Promise<Read> {
    const began = now()
    const read = await readFrom(0n)
    readAllAt = began
    return read
  }

  async function readNew(): Promise<Read> {
    // What all who wait for the first read get is new to one of them.
    if (!known && first) await first
    const before = known
    if (before) {
      const read = await readFrom(before.oldest)
      if (read.server === before.server && read.oldest >= before.oldest) {
        // Of calls at once, the one that began earlier may end later.
        const isLater = known?.server !== read.server || known.oldest < read.oldest
        if (isLater) known = positionOf(read)
        return read
      }
    }
    const reading = readAll()
    if (!before) first = reading
    try {
      const all = await reading
      known = positionOf(all)
      return all
    } finally {
      if (first === reading) first = undefined
    }
  }

  function readAllNowAndThen(): void {
    if (now() - readAllAt < READ_ALL_AFTER_MS) return
    // Where it fails, it is due again a while later.
    readAllAt = now()
    readAll().then(
      (read) => {
        readAgain = read
      },
      () => {},
    )
  }

  /** Without what was read. */
  const positionOf = ({ server, oldest }: Read) => ({ server, oldest })

  return {
    async next() {
      const read = await readNew()
      const again = readAgain
      readAgain = undefined
      readAllNowAndThen()
      return join([...read.parts, ...(again?.parts ?? [])])
    },
  }
}

function* join(parts: readonly (readonly number[])[]): Generator<number> {
  for (const part of parts) yield* part
}
