import type { Grant, KoaContextWithOIDC } from 'oidc-provider'

/**
 * `loadExistingGrant` of oidc-provider: first-party clients get all requested scopes without a
 * question. A deployment with third-party clients asks for consent instead.
 */
export async function grantWhatIsAsked(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, provider, requestParamScopes } = ctx.oidc
  if (!client || !session?.accountId) return undefined
  const grant =
    (await existing(ctx)) ??
    new provider.Grant({
      clientId: client.clientId,
      accountId: session.accountId,
    })
  grant.addOIDCScope([...ctx.oidc.requestParamOIDCScopes].join(' '))
  grant.addOIDCClaims([...ctx.oidc.requestParamClaims])
  for (const [indicator, server] of Object.entries(ctx.oidc.resourceServers ?? {})) {
    const scopes = [...requestParamScopes].filter((scope) => server.scopes.has(scope))
    if (scopes.length > 0) grant.addResourceScope(indicator, scopes.join(' '))
  }
  await grant.save()
  return grant
}

async function existing({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const id = oidc.client && oidc.session?.grantIdFor(oidc.client.clientId)
  return id ? oidc.provider.Grant.find(id) : undefined
}
