import { describeCause, ImpersonationError } from '../errors.ts'
import type { ImpersonationProvider } from '../provider.ts'
import { isTokenRefused } from '../refused-token.ts'
import type { SessionEnd } from '../texts.ts'
import type { Surroundings } from './surroundings.ts'

/** The timeout of a request for which a person waits. */
const TIMEOUT_MS = 5000

/** The state of an impersonation, as the provider reports it. */
export interface Current {
  readonly state: 'active' | 'ended'
  readonly ending: SessionEnd | undefined
  readonly isToBeReviewed: boolean
}

/** @returns nothing if the provider does not report it */
export async function askCurrent(
  { currentEndpoint }: ImpersonationProvider,
  accessToken: string,
  fetch: typeof globalThis.fetch,
): Promise<Current | undefined> {
  if (!currentEndpoint) return undefined
  try {
    const response = await fetch(currentEndpoint, requestInit('GET', accessToken))
    if (!response.ok) return undefined
    const { state, end, review } = Object(await response.json())
    return { state, ending: end, isToBeReviewed: review === true }
  } catch {
    return undefined
  }
}

/**
 * Ends the impersonation at the provider. If it has ended already, this does nothing. If the
 * provider has no such endpoint, this does nothing either, and the token is valid until it
 * expires.
 *
 * @returns whether it has ended. If it has not, the application gets the reason.
 */
export async function endAtProvider(
  accessToken: string,
  { settings, findProvider }: Surroundings,
): Promise<boolean> {
  try {
    const { endEndpoint } = await findProvider()
    if (!endEndpoint) return true
    const response = await settings.fetch(endEndpoint, requestInit('POST', accessToken))
    // Only the provider responds this way. A gateway before it has a page, or a 401 without a
    // challenge.
    if (response.status === 204 || isTokenRefused(response, false)) return true
    throw new Error(`the provider answers ${response.status}`)
  } catch (error) {
    const isOurs = error instanceof ImpersonationError
    settings.onError(
      isOurs ? error : new ImpersonationError('unreachable', { cause: describeCause(error) }),
    )
    return false
  }
}

function requestInit(method: string, accessToken: string) {
  return {
    method,
    headers: { authorization: `Bearer ${accessToken}` },
    cache: 'no-store',
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } satisfies RequestInit
}
