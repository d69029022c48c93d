import type { AccessToken, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { hasEnding } from '../adapters/contract.ts'
import { endsRecorded } from '../events/recorders.ts'
import { beforeDestroy, judgeFound } from '../host/models.ts'
import { currentRequest } from '../host/request.ts'
import type { EndOptions } from '../public/list-and-end.ts'
import { MAX_CHAIN, parseAct, personAndSoftware } from '../shared/act.ts'
import { IMPERSONATION_ID_CLAIM, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'
import type { Impersonations } from './impersonations.ts'

/** What {@link judgeByEnds} answers. */
interface JudgedByEnds {
  /** Whether the impersonation of this id has ended. */
  readonly hasEnded: (id: string) => Promise<boolean>
  /** An opaque access token by its value, whether its impersonation has ended or not. */
  readonly findEvenEnded: (value: string) => Promise<AccessToken | undefined>
}

/**
 * Says whether an impersonation has ended, and lets the provider find an opaque impersonated token
 * only as long as it has not, at introspection and everywhere else.
 *
 * I14: also with `lifecycle.enabled: false`, wherever the storage can have an end. Another process on
 * the same store may end impersonations, or this one may have done so before.
 *
 * @param isOn whether impersonations can be ended here: then one whose record is gone has ended, too,
 * because the storage has forgotten something
 */
export function judgeByEnds(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  isOn: boolean,
): JudgedByEnds {
  const { AccessToken: model } = provider
  const { find } = model
  const findEvenEnded = (value: string): Promise<AccessToken | undefined> =>
    Reflect.apply(find, model, [value])
  if (!hasEnding(subjectTokens.adapter)) return { hasEnded: async () => false, findEvenEnded }
  const hasEnded = async (id: string) => {
    const impersonation = await subjectTokens.findById(id)
    return impersonation ? impersonation.end !== undefined : isOn
  }
  judgeFound<AccessToken>(model, async (token) => {
    const id = findImpersonationId(token)
    return id !== undefined && (await hasEnded(id)) ? undefined : token
  })
  return { hasEnded, findEvenEnded }
}

/**
 * Ends an impersonation when its opaque access token is destroyed: at the revocation endpoint
 * (RFC 7009), or by code of the deployment. The end comes first, so that what fails in between can be
 * asked for again.
 */
export function endWithOpaqueToken(provider: Provider, impersonations: Impersonations): void {
  beforeDestroy(provider.AccessToken, async (token) => {
    const id = findImpersonationId(token)
    if (id === undefined) return
    const ctx = currentRequest()
    await impersonations.end(id, deriveEndOptions(token, ctx), ctx)
    await endsRecorded(provider)
  })
}

/**
 * As at `current/end`: where the client that it was issued to revokes it, the operator does. Of a
 * token that is bound that is not known: the revocation endpoint asks for no proof.
 */
function deriveEndOptions(token: AccessToken, ctx: KoaContextWithOIDC | undefined): EndOptions {
  const { actor: by } = personAndSoftware(parseAct(token.extra?.act, MAX_CHAIN))
  const isOwn = token.clientId !== undefined && ctx?.oidc.client?.clientId === token.clientId
  return by && isOwn && !token.isSenderConstrained() ? { by: { sub: by.sub } } : {}
}

function findImpersonationId({ gty, extra }: AccessToken): string | undefined {
  if (gty !== TOKEN_EXCHANGE_GRANT_TYPE) return undefined
  const id = extra?.[IMPERSONATION_ID_CLAIM]
  return typeof id === 'string' ? id : undefined
}
