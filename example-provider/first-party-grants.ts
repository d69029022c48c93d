import type { Grant, KoaContextWithOIDC } from 'oidc-provider'

/**
 * `loadExistingGrant` of oidc-provider: first-party clients get all requested scopes without a
 * question. A deployment with third-party clients asks for consent instead.
 */
export async function grantWhatIsAsked({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, provider, requestParamScopes } = oidc
  if (!client || !session?.accountId) return undefined
  const id = session.grantIdFor(client.clientId)
  const grant =
    (id ? await provider.Grant.find(id) : undefined) ??
    new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
  grant.addOIDCClaims([...oidc.requestParamClaims])
  for (const [indicator, server] of Object.entries(oidc.resourceServers ?? {})) {
    const scopes = [...requestParamScopes].filter((scope) => server.scopes.has(scope))
    if (scopes.length > 0) grant.addResourceScope(indicator, scopes.join(' '))
  }
  await grant.save()
  return grant
}
