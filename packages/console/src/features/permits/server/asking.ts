import { limitTime } from 'oidc-provider-impersonation/siblings'
import { PermitError } from './errors.ts'

/**
 * Asks a function of the deployment.
 *
 * @param what cannot be looked up where it fails
 * @throws PermitError 503 where the deployment does not say it, or not in time
 */
export async function askDeployment<T>(
  what: string,
  timeoutMs: number,
  ask: () => T | Promise<T>,
): Promise<T> {
  const late = () => new Error('it does not answer')
  const answer = async () => await ask()
  return limitTime(timeoutMs, answer(), late).catch((cause: unknown) => {
    const message = `${what} cannot be looked up now`
    throw new PermitError('temporarily_unavailable', message, { cause })
  })
}
