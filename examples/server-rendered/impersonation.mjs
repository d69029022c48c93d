import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { say } from './pages.mjs'
import { ACTING, BEGUN, clear, keep, kept } from './sessions.mjs'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, ORIGIN, BACK_OFFICE, RESOURCE } = process.env
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

export const provider = await client.discovery(
  new URL(ISSUER),
  CLIENT_ID,
  undefined,
  client.ClientSecretBasic(CLIENT_SECRET),
  // http is for trying it out on one machine.
  ISSUER.startsWith('https:') ? {} : { execute: [client.allowInsecureRequests] },
)

/** Takes the form of the back office, and asks the provider who is signed in there. */
export async function beginImpersonation(request, response) {
  const subjectToken = String(request.body?.impersonation ?? '')
  if (request.get('origin') !== BACK_OFFICE || !/^[\w.~-]{1,1024}$/.test(subjectToken)) {
    return say(response, 400, 'This page is opened from the support console.')
  }
  const verifier = client.randomPKCECodeVerifier()
  const begun = { subjectToken, verifier, state: client.randomState(), nonce: client.randomNonce() }
  const url = client.buildAuthorizationUrl(provider, {
    redirect_uri: `${ORIGIN}/impersonation/callback`,
    scope: 'openid',
    prompt: 'none',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  keep(response, BEGUN, begun, 120)
  response.redirect(303, url.href)
}

/** Comes back from the provider: exchanges, and keeps the session. */
export async function finishImpersonation(request, response) {
  const begun = kept(request, BEGUN)
  if (!begun || request.query.state !== begun.state) {
    return say(
      response,
      400,
      'Nothing was begun here, or too long ago. Start again from the support console.',
    )
  }
  clear(request, response, BEGUN)
  const before = kept(request, ACTING)
  if (before && !before.isOver) {
    return say(
      response,
      409,
      `You act as ${before.userId} in this browser already. End that first.`,
      before,
    )
  }
  let actor
  try {
    const operator = await client.authorizationCodeGrant(
      provider,
      new URL(ORIGIN + request.originalUrl),
      { pkceCodeVerifier: begun.verifier, expectedState: begun.state, expectedNonce: begun.nonce },
    )
    actor = operator.claims().sub
    const exchanged = await client.genericGrantRequest(provider, TOKEN_EXCHANGE, {
      subject_token: begun.subjectToken,
      subject_token_type: ACCESS_TOKEN,
      actor_token: operator.access_token,
      actor_token_type: ACCESS_TOKEN,
      resource: RESOURCE,
      scope: 'orders:read',
    })
    const { sub, impersonation_context: context } = decodeJwt(exchanged.access_token)
    const session = {
      accessToken: exchanged.access_token,
      userId: sub,
      actor,
      ticket: context?.ticket_id,
      expiresAt: Date.now() + exchanged.expires_in * 1000,
      csrf: client.randomState(),
    }
    // An hour more, so that a page after the end can say what has ended.
    keep(response, ACTING, session, exchanged.expires_in + 3600)
  } catch (error) {
    const [status, text] = refusal(error, actor)
    return say(response, status, text)
  }
  response.redirect(303, '/orders')
}

function refusal(error, actor) {
  switch (error.error) {
    case 'login_required':
      return [
        403,
        'You are not signed in at the provider. Sign in there, then start again from the support console.',
      ]
    case 'consent_required':
    case 'interaction_required':
      return [
        403,
        'The provider has a question for you, or its set-up lacks a grant for this application. Ask an administrator.',
      ]
  }
  // Once the provider has said who is signed in, this is its answer to the exchange.
  if (actor && (error.error === 'invalid_request' || error.error === 'access_denied')) {
    return [
      403,
      `This was used already, is too old, or is meant for another operator: you are signed in as ${actor}. Start again from the support console.`,
    ]
  }
  console.error('impersonation not begun', error.code, error.error)
  return [
    502,
    'The provider did not answer as expected. Nothing has begun. Try again from the support console.',
  ]
}
