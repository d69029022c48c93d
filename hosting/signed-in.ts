import { BearerProblem } from './http/problem.ts'
import { basic, type IntrospectionOptions, post, unexpected } from './provider-client.ts'

/**
 * Asks the provider who calls: token introspection, RFC 7662.
 *
 * The token must belong to a person who signed in to one of these applications. It must not be a
 * machine's token, a token for another API, an impersonated token, or a token bound to a key.
 *
 * @returns the account id
 * @throws BearerProblem when the token is not such a token.
 */
export async function findSignedIn(
  token: string,
  clients: readonly string[],
  { providerUrl, clientId, clientSecret }: IntrospectionOptions,
): Promise<string> {
  const answer = await post(
    new URL('/oidc/token/introspection', providerUrl),
    { authorization: basic(clientId, clientSecret) },
    new URLSearchParams({ token, token_type_hint: 'access_token' }),
  )
  if (answer.status === 400 && answer.json.error === 'unsupported_token_type') {
    throw invalid('a JWT, which introspection does not take')
  }
  const { active, sub, client_id, scope, aud, act, token_type } = answer.json
  if (answer.status !== 200 || typeof active !== 'boolean') {
    throw unexpected('introspection', answer)
  }
  if (!active) throw invalid('not active')
  if (token_type !== 'Bearer') throw invalid('not a bearer access token')
  if (typeof sub !== 'string') throw invalid('not of a person')
  if (typeof client_id !== 'string' || !clients.includes(client_id)) {
    throw invalid('of another client')
  }
  if (typeof scope !== 'string' || !scope.split(' ').includes('openid')) {
    throw invalid('without openid')
  }
  if (aud !== undefined) throw invalid('for another audience')
  if (act !== undefined) throw invalid('impersonated')
  return sub
}

function invalid(reason: string): BearerProblem {
  return new BearerProblem('invalid_token', 'the access token is not valid here', {
    cause: new Error(`access token: ${reason}`),
  })
}
