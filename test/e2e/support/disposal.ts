/**
 * A test that fails, and then leaves a window that has something to object to, fails with an error
 * that tells neither. Hook of the root suite: it puts into words what the two are.
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

function tell(error: unknown): string {
  if (error instanceof SuppressedError) return both(error)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
