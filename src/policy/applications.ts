import type { Configuration, Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { ClientRule } from '../public/options.ts'
import { isNamed } from './clients.ts'

export type LoadExistingGrant = NonNullable<Configuration['loadExistingGrant']>

/**
 * Grants the applications of operators `openid` without a question, in addition to their grant. An
 * application that sends `prompt=none` would otherwise get `consent_required`.
 *
 * @param own - the deployment's function
 */
export function withApplicationGrants(
  applications: ClientRule,
  own: LoadExistingGrant = existingGrant,
): LoadExistingGrant {
  return async (ctx) => {
    const { client, provider, session } = ctx.oidc
    const existing = await own(ctx)
    const accountId = session?.accountId
    if (!client || !accountId) return existing
    if (!(await isNamed(client, applications, 'features.impersonation.applications')))
      return existing
    const grant = existing ?? new provider.Grant({ clientId: client.clientId, accountId })
    // The provider refuses another's grant. Nothing is written into it.
    if (grant.accountId !== accountId || grant.clientId !== client.clientId) return grant
    // A consent page that makes a grant of its own leaves out scopes that it was not asked for.
    if (grant.getOIDCScopeFiltered(new Set(['openid'])) !== 'openid') {
      grant.addOIDCScope('openid')
      await grant.save()
    }
    return grant
  }
}

/** The default of oidc-provider. */
async function existingGrant({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, provider, result, session } = oidc
  const id = result?.consent?.grantId ?? (client && session?.grantIdFor(client.clientId))
  return id ? provider.Grant.find(id) : undefined
}
