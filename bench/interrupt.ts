// Ctrl-C reaches this process and its children alike; the children leave it to this one, which
// empties the storages before it ends.

const cleanUps = new Set<() => Promise<unknown>>()

/** Runs `cleanUp` when the benchmark is interrupted. Returns a function that takes this back. */
export function onInterrupt(cleanUp: () => Promise<unknown>): () => void {
  if (cleanUps.size === 0) process.once('SIGINT', interrupt)
  cleanUps.add(cleanUp)
  return () => {
    cleanUps.delete(cleanUp)
    if (cleanUps.size === 0) process.off('SIGINT', interrupt)
  }
}

/** Cleans up after a failure, in the reverse order. */
export async function cleanUpAll(): Promise<void> {
  for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(() => {})
}

async function interrupt(): Promise<void> {
  // What is under way fails now. A second Ctrl-C ends at once.
  process.on('unhandledRejection', () => {})
  process.on('uncaughtException', () => {})
  process.exitCode = 130
  await cleanUpAll()
  process.exit()
}
