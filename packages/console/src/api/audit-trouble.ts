import { setImmediate as nextTurn } from 'node:timers/promises'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { isMalformedCursor } from '../audit/stores/cursor.ts'
import { invalid, unavailable } from '../http/problem.ts'
import type { Audit } from './parts.ts'

/** How long an answer waits for entries to be stored, in milliseconds. */
const SETTLE_TIMEOUT_MS = 2000

/**
 * Reads the audit. A store that fails is trouble, and never reads as *not found*.
 *
 * @throws Problem 503; 400 for a cursor that no store can have made
 */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (isMalformedCursor(cause)) throw invalid('the cursor is malformed')
    throw unavailable('the audit cannot be read now', cause)
  }
}

/** Waits for entries that are on their way, so that what is read next has them. */
export async function settle({ recorder }: Pick<Audit, 'recorder'>): Promise<void> {
  // Events of the provider come in a later turn than its answer.
  await nextTurn()
  await endsWithin(SETTLE_TIMEOUT_MS, recorder.settled())
}
