// Ctrl-C reaches this process and its children alike, and so does the end that `timeout` sends. The
// children leave it to this process, which empties the storages before it ends.

/** Signals that ask the benchmark to end, and the exit code of each. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const
type EndSignal = keyof typeof EXIT_CODES
const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const

const cleanUps = new Set<() => Promise<unknown>>()
let interrupted = false

/** Whether the end was asked for: what fails then is no failure of the benchmark. */
export function isInterrupted(): boolean {
  return interrupted
}

/** Runs `cleanUp` when the benchmark is interrupted. Returns a function that takes this back. */
export function onInterrupt(cleanUp: () => Promise<unknown>): () => void {
  if (cleanUps.size === 0) for (const signal of END_SIGNALS) process.once(signal, interrupt)
  cleanUps.add(cleanUp)
  return () => {
    cleanUps.delete(cleanUp)
    if (cleanUps.size === 0) for (const signal of END_SIGNALS) process.off(signal, interrupt)
  }
}

/** Cleans up after a failure, in the reverse order. */
export async function cleanUpAll(): Promise<void> {
  for (const cleanUp of [...cleanUps].reverse()) await cleanUp().catch(() => {})
}

/** In a part of the benchmark: leaves the end to the process that started it. */
export function leaveEndToParent(): void {
  for (const signal of END_SIGNALS) process.on(signal, () => {})
  process.once('disconnect', () => process.exit())
}

async function interrupt(signal: EndSignal): Promise<void> {
  interrupted = true
  // What is under way fails now. A second Ctrl-C ends at once.
  process.on('unhandledRejection', () => {})
  process.on('uncaughtException', () => {})
  process.exitCode = EXIT_CODES[signal]
  await cleanUpAll()
  process.exit()
}
