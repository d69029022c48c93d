import Mocha, { type Context, type Suite } from 'mocha'

/** In CI a server or a browser that is missing is a failure, not a reason to skip. */
export const inCi = Boolean(process.env.CI)

/** Adds the reason to the title of a test, where mocha prints it. */
export function skippedTitle(title: string, reason: string): string {
  return `${title} (skipped: ${reason})`
}

/**
 * Skips the test that runs, or, in a hook, every test of its suite, because something is missing on
 * this machine.
 *
 * @throws in CI
 */
export function skip(context: Context, missing: string): never {
  if (inCi) throw new Error(missing)
  const { test } = context
  if (test instanceof Mocha.Hook && test.parent) markSuite(test.parent, missing)
  else if (test) test.title = skippedTitle(test.title, missing)
  return context.skip()
}

/** The root suite has no title that a report shows. */
function markSuite(suite: Suite, reason: string): void {
  if (suite.root) for (const child of suite.suites) markSuite(child, reason)
  else suite.title = skippedTitle(suite.title, reason)
}
