import type { Configuration } from 'oidc-provider'
import { loadExistingGrant } from '../host/instance.ts'
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
  own: LoadExistingGrant = loadExistingGrant,
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
