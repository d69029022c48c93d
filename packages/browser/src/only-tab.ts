import type { CheckedOptions } from './accept-options.ts'
import { describeCause, ImpersonationError } from './errors.ts'

const LOCK_NAME = 'oidc-provider-impersonation'

/**
 * The longest time for the acting tab to find that its impersonation has ended, in milliseconds.
 */
const LOCK_WAIT_MS = 5000

/**
 * Waits until no other tab of this origin acts. Tabs of one origin share its storage, and the data
 * of one customer would appear to another. The browser releases the lock with the page, also if
 * the page crashes.
 *
 * The acting tab is poked. It asks the provider whether its impersonation has ended, and only then
 * gives way. A link that is opened here, whoever made it, ends nothing.
 *
 * @returns a function that releases the lock
 * @throws ImpersonationError `already_acting` while another tab holds it, `storage_blocked` if the
 * browser allows no lock
 */
export async function holdOnlyTab({ texts }: CheckedOptions): Promise<() => void> {
  const signal = AbortSignal.timeout(LOCK_WAIT_MS)
  try {
    const channel = new BroadcastChannel(LOCK_NAME)
    channel.postMessage(0)
    return await new Promise<() => void>((resolve, reject) => {
      const hold = () => new Promise<void>((release) => resolve(() => release()))
      navigator.locks.request(LOCK_NAME, { signal }, hold).catch(reject)
    }).finally(() => channel.close())
  } catch (error) {
    const code = signal.aborted ? 'already_acting' : 'storage_blocked'
    throw new ImpersonationError(code, { texts, cause: describeCause(error) })
  }
}

/** Calls `poked` when another tab wants to act. The content of the message is not read. */
export function whenPoked(poked: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(LOCK_NAME)
  channel.onmessage = poked
  signal.addEventListener('abort', () => channel.close())
}
