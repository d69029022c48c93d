import { setTimeout as wait } from 'node:timers/promises'

/** Resolves when the condition holds. @throws Error where it never does */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 15_000) {
  const end = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never happens: ${holds}`)
    await wait(5)
  }
}
