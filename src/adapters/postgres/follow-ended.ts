import type { EndedFollower } from '../contract.ts'

/** The time until everything is read again, in milliseconds. */
const READ_ALL_AFTER_MS = 600_000

/** The ends in a list, from a transaction on. */
export interface EndedSince {
  readonly indices: readonly number[]
  /** The oldest transaction that was under way. */
  readonly oldest: bigint
  /** The server and its start. Another server, and another start, has another text. */
  readonly server: string
}

/** @param xid - the first transaction to read; 0 for all */
type ReadSince = (xid: bigint) => Promise<EndedSince>

/**
 * Follows ends by the transactions that store them. A transaction gets its number when it begins
 * to write, and is visible when it commits, maybe after later ones. So each read begins with the
 * oldest transaction that was under way at the read before, and never with the last one that it
 * saw. A time or a sequence would miss ends.
 *
 * The numbers are the server's. Another server, or the same one after a restart, may have lost the
 * last of them. Then everything is read, and every ten minutes as well.
 *
 * @param now - the monotonic clock, in milliseconds
 */
export function followEnded(readSince: ReadSince, now = () => performance.now()): EndedFollower {
  /** The position up to which everything is read. */
  let known: Omit<EndedSince, 'indices'> | undefined
  /** The first read, while it is under way. */
  let first: Promise<EndedSince> | undefined
  let readAllAt = Number.NEGATIVE_INFINITY
  /** A whole read, made while other calls were served. */
  let readAgain: EndedSince | undefined

  async function readAll(): Promise<EndedSince> {
    const began = now()
    const read = await readSince(0n)
    readAllAt = began
    return read
  }

  async function readNew(): Promise<EndedSince> {
    // The result of the first read is new to one of its callers.
    if (!known && first) await first
    const before = known
    if (before) {
      const read = await readSince(before.oldest)
      if (read.server === before.server && read.oldest >= before.oldest) {
        // An earlier call may finish later.
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
    // A read that fails is due again a while later.
    readAllAt = now()
    readAll().then(
      (read) => {
        readAgain = read
      },
      () => {},
    )
  }

  /** The position without the indices. */
  const positionOf = ({ server, oldest }: EndedSince) => ({ server, oldest })

  return {
    async next() {
      const read = await readNew()
      const again = readAgain
      readAgain = undefined
      readAllNowAndThen()
      return again ? read.indices.concat(again.indices) : read.indices
    },
  }
}
