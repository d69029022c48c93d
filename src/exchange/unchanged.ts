import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import { AccessTokenRejected } from '../tokens/jwt-access-token.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import type { ValidateActor } from './audited-actor.ts'
import { requireStillTrue, type SubjectParts } from './subject.ts'

/**
 * I7 again: `authorize`, a hook or the JWT customizer may have waited, for example for the decision
 * of a person. User, operator, issuing client or the client that exchanges may be gone by now.
 *
 * @throws errors.InvalidRequest, errors.UnauthorizedClient
 */
export async function requireUnchanged(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  clientId: string,
  token: SubjectToken,
  validateActor: ValidateActor,
  parts: SubjectParts,
): Promise<void> {
  if (!(await mayStillExchange(parts.verifier, clientId))) {
    throw new errors.UnauthorizedClient(
      'requested grant type is not allowed for this client any more',
    )
  }
  await validateActor()
  await requireStillTrue(provider, ctx, token, parts)
}

async function mayStillExchange(verifier: AccessTokenVerifier, clientId: string): Promise<boolean> {
  try {
    const client = await verifier.findClient(clientId)
    return client.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE)
  } catch (error) {
    if (error instanceof AccessTokenRejected) return false
    throw error
  }
}
