import type { EndedFollower } from '../contract.ts'

/** How long until everything is read again, in milliseconds. */
const READ_ALL_AFTER_MS = 600_000

/** What has ended in a list, from a transaction on. */
export interface EndedSince {
  readonly indices: readonly number[]
  /** The oldest transaction that was under way. */
  readonly oldest: bigint
  /** Another text after another start of the server, or of another server. */
  readonly server: string
}

/** @param xid the first transaction that is asked for; 0 for all */
type ReadSince = (xid: bigint) => Promise<EndedSince>

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
export function followEnded(readSince: ReadSince, now = () => performance.now()): EndedFollower {
  /** Up to where everything is known. */
  let known: Omit<EndedSince, 'indices'> | undefined
  /** The first read, while it is under way. */
  let first: Promise<EndedSince> | undefined
  let readAllAt = Number.NEGATIVE_INFINITY
  /** Everything, read while others were answered. */
  let readAgain: EndedSince | undefined

  async function readAll(): Promise<EndedSince> {
    const began = now()
    const read = await readSince(0n)
    readAllAt = began
    return read
  }

  async function readNew(): Promise<EndedSince> {
    // What all who wait for the first read get is new to one of them.
    if (!known && first) await first
    const before = known
    if (before) {
      const read = await readSince(before.oldest)
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
