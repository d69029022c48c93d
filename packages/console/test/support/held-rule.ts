import type { Authorize } from 'oidc-provider-impersonation'

let held: { stage: string; reach: () => void; released: Promise<void> } | undefined

/** Holds up what asks a rule next, once the rule has answered. */
export function hold(stage: 'exchange' | 'issue') {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held = { stage, reach: reached.resolve, released: released.promise }
  return { reached: reached.promise, release: released.resolve }
}

/** A rule whose answer may be held up. */
export const holding =
  (authorize: Authorize): Authorize =>
  async (request) => {
    const verdict = await authorize(request)
    if (held?.stage === request.stage && request.isPreview !== true) {
      const { reach, released } = held
      held = undefined
      reach()
      await released
    }
    return verdict
  }
