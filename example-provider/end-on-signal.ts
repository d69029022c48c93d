/** npm repeats a Ctrl-C that this process has received, too: within this time, both are one. */
const SAME_SIGNAL_MS = 300

/** The first signal lets open requests finish. The second signal ends the process at once. */
export function endOnSignal(close: () => Promise<void>): void {
  let since: number | undefined
  const end = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    since = performance.now()
    console.log('\nFinishing what is in flight; Ctrl-C once more ends at once.')
    close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}
