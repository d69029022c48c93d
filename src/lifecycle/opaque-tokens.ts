import type { AccessToken, Provider } from 'oidc-provider'
import { IMPERSONATION_ID_CLAIM, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'

/**
 * Lets the provider find an opaque impersonated token only as long as its impersonation has not
 * ended: introspection, userinfo and everything else find access tokens by `AccessToken.find`. Where
 * the record of the impersonation is gone, the storage has forgotten something: the token counts as
 * ended.
 */
export function hideEndedTokens(provider: Provider, subjectTokens: SubjectTokenModel): void {
  const { AccessToken } = provider
  const find = AccessToken.find
  const findLive = async (...args: Parameters<typeof find>): Promise<AccessToken | undefined> => {
    const token: AccessToken | undefined = await Reflect.apply(find, AccessToken, args)
    const id = impersonationIdOf(token)
    if (id === undefined) return token
    const impersonation = await subjectTokens.findById(id)
    return impersonation && !impersonation.end ? token : undefined
  }
  // The published type is generic in the class that it is called on, which is always this one.
  AccessToken.find = findLive as typeof find
}

function impersonationIdOf(token: AccessToken | undefined): string | undefined {
  if (token?.gty !== TOKEN_EXCHANGE_GRANT_TYPE) return undefined
  const id = token.extra?.[IMPERSONATION_ID_CLAIM]
  return typeof id === 'string' ? id : undefined
}
