import type { AccessToken, Provider } from 'oidc-provider'
import { judgeFound } from '../host/models.ts'
import { IMPERSONATION_ID_CLAIM, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'

/**
 * Lets the provider find an opaque impersonated token only as long as its impersonation has not
 * ended, at introspection and everywhere else. Where the record of the impersonation is gone, the
 * storage has forgotten something: the token counts as ended.
 */
export function hideEndedTokens(provider: Provider, subjectTokens: SubjectTokenModel): void {
  judgeFound<AccessToken>(provider.AccessToken, async (token) => {
    const id = impersonationIdOf(token)
    if (id === undefined) return token
    const impersonation = await subjectTokens.findById(id)
    return impersonation && !impersonation.end ? token : undefined
  })
}

function impersonationIdOf({ gty, extra }: AccessToken): string | undefined {
  if (gty !== TOKEN_EXCHANGE_GRANT_TYPE) return undefined
  const id = extra?.[IMPERSONATION_ID_CLAIM]
  return typeof id === 'string' ? id : undefined
}
