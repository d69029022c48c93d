/**
 * Refuses to start in production, because every user exists at a test provider.
 *
 * @throws Error in production
 */
export function refuseProduction(): void {
  if (/^\s*prod(uction)?\s*$/i.test(process.env.NODE_ENV ?? '')) {
    throw new Error(
      `oidc-provider-impersonation-testing does not run in production: NODE_ENV is ${process.env.NODE_ENV}`,
    )
  }
}

/** Warns on the console if no test runner is found. */
export function warnOutsideTests(): void {
  const { NODE_ENV, NODE_TEST_CONTEXT, VITEST, JEST_WORKER_ID } = process.env
  if (NODE_ENV === 'test' || NODE_TEST_CONTEXT || VITEST || JEST_WORKER_ID) return
  // Mocha sets no variable.
  if ('describe' in globalThis && 'it' in globalThis) return
  const message =
    'startTestProvider() runs outside a test: every user exists, and whoever reaches its port acts as any of them. Set NODE_ENV to test where that is meant.'
  process.emitWarning(message, { type: 'ImpersonationWarning', code: 'OUTSIDE_TESTS' })
}
