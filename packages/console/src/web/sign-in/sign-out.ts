import type { Context } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { askProvider } from '../http/problem.ts'
import { redirect } from '../http/redirect.ts'
import type { Entered } from './signed-in.ts'

/** The lifetime of the ID token of a sign-out, in seconds. */
const HINT_SECONDS = 120

/**
 * Revokes the grant and the token of a person, and sends them to the sign-out of the provider. The
 * address has a fresh ID token, by which the provider knows that the request is of its own session.
 *
 * @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
 */
export async function signOut(
  ctx: Context,
  provider: Provider,
  { id, token }: Entered,
  clientId: string,
  returnTo: string,
): Promise<void> {
  const to = new URL(provider.urlFor('end_session'))
  await askProvider(async () => {
    const client = await provider.Client.find(clientId)
    const idToken = client && new provider.IdToken({}, { client })
    idToken?.set('sub', id)
    const session = token.sessionUid && (await provider.Session.findByUid(token.sessionUid))
    if (session) idToken?.set('auth_time', session.authTime())
    const expiresAt = Math.floor(Date.now() / 1000) + HINT_SECONDS
    const hint = await idToken?.issue({ use: 'idtoken', expiresAt })
    to.search = new URLSearchParams({
      client_id: clientId,
      post_logout_redirect_uri: returnTo,
      ...(hint !== undefined && { id_token_hint: hint }),
    }).toString()
    const grant = token.grantId === undefined ? undefined : await provider.Grant.find(token.grantId)
    await token.destroy()
    await grant?.destroy()
  })
  redirect(ctx, to.href)
}
