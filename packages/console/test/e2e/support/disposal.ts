/**
 * A test can fail and then leave a window that reports a problem too. The combined error shows
 * neither cause. This hook of the root suite describes both.
 */
afterEach('both errors', function () {
  const failed = this.currentTest?.err
  if (!(failed instanceof SuppressedError)) return
  failed.message = both(failed)
  failed.stack = failed.message
})

function both({ error, suppressed }: SuppressedError): string {
  return `${tell(suppressed)}\n\nand then, ${tell(error)}`
}

function tell(error: unknown) {
  if (error instanceof SuppressedError) return both(error)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
