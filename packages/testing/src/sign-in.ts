import type { Provider } from 'oidc-provider'
import { APPLICATION_CLIENT_ID, type AskedFor, resourceServerInfo } from './configuration.ts'

/** A person who has signed in to the application, and what the access token is for. */
interface SignedIn {
  readonly accountId: string
  readonly scope: string
  /** @defaultValue the userinfo endpoint */
  readonly resource?: { readonly indicator: string; readonly asked: AskedFor }
}

/** Issues an access token as after a sign-in, without the pages. */
export async function signIn(
  provider: Provider,
  { accountId, scope, resource }: SignedIn,
): Promise<string> {
  const client = await provider.Client.find(APPLICATION_CLIENT_ID)
  if (!client) throw new Error('the client of tests is gone')
  const grant = new provider.Grant({ accountId, clientId: client.clientId })
  if (resource) grant.addResourceScope(resource.indicator, scope)
  else grant.addOIDCScope(scope)
  const token = new provider.AccessToken({
    accountId,
    client,
    grantId: await grant.save(),
    gty: 'authorization_code',
    scope,
    ...(resource && {
      resourceServer: new provider.ResourceServer(resource.indicator, {
        audience: resource.indicator,
        ...resourceServerInfo(resource.asked),
      }),
    }),
  })
  return token.save()
}
