import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { errors, type GetCustomJwtClaims, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deployWith, exchange } from '../support/claims-hook.ts'
import { at } from '../support/clock.ts'
import type { Deployment } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

const throwing =
  (thrown: unknown): GetCustomJwtClaims =>
  () => {
    throw thrown
  }

describe('getCustomJwtClaims', () => {
  let deployment: Deployment
  afterEach(() => deployment.close())

  it('receives the payload, the grant, the actor, the client, and frozen environment variables', async () => {
    const seen: Array<Parameters<GetCustomJwtClaims>[0]> = []
    deployment = await deployWith(
      async (input) => {
        seen.push(input)
        return {}
      },
      { impersonation: { environmentVariables: { REGION: 'eu' } } },
    )
    const access_token = await deployment.actorToken()
    const { body } = await at(Date.now(), () =>
      exchange(deployment, { a: { b: [1] } }, { actor_token: access_token }),
    )
    const input = seen.at(-1)
    expect(input?.context.grant).to.deep.equal({
      type: TOKEN_EXCHANGE_GRANT_TYPE,
      subjectTokenContext: { a: { b: [1] } },
    })
    expect(input?.context.actor).to.deep.equal({ sub: 'olivia' })
    expect(input?.context.actorClient).to.equal('console')
    expect(input?.context.client?.clientId).to.equal('console')
    expect(input?.environmentVariables).to.deep.equal({ REGION: 'eu' })
    const { jti, sub, aud, client_id, scope, iss, iat, exp, act } = decodeJwt(body.access_token)
    expect(input?.token).to.deep.equal({ jti, sub, aud, client_id, scope, iss, iat, exp, act })
    for (const frozen of [
      input?.token,
      input?.context,
      input?.context.grant,
      input?.context.grant.subjectTokenContext,
      input?.context.grant.subjectTokenContext.a,
      input?.context.actor,
      input?.environmentVariables,
    ]) {
      expect(frozen).to.satisfy(Object.isFrozen)
    }
  })

  it('is called for every access token, with the grant type of its request', async () => {
    const types: string[] = []
    deployment = await deployWith(async ({ context }) => {
      types.push(context.grant.type)
      return { by_hook: context.grant.type }
    })
    const m2m = await deployment.m2mToken()
    expect(decodeJwt(m2m).by_hook).to.equal('client_credentials')
    const signedIn = await signIn(deployment, 'olivia', { scope: 'openid offline_access' })
    await deployment.post('/oidc/token', {
      grant_type: 'refresh_token',
      client_id: 'console',
      refresh_token: signedIn.refresh_token,
    })
    await exchange(deployment)
    expect(types).to.include.members([
      'client_credentials',
      'authorization_code',
      'refresh_token',
      TOKEN_EXCHANGE_GRANT_TYPE,
    ])
  })

  it('is told the grant of a token that no request asked for', async () => {
    const told: unknown[] = []
    deployment = await deployWith(({ token, context }) => {
      told.push([context.grant.type, token.sub, token.client_id, context.grant.subjectTokenContext])
      return {}
    })
    const { AccessToken, Client, ClientCredentials, Grant } = deployment.provider
    const client = await Client.find('backend')
    if (!client) throw new Error('no client')
    const grantId = await new Grant({ accountId: 'alice', clientId: 'backend' }).save()
    await new AccessToken({ accountId: 'alice', client, scope: '', gty: 'custom', grantId }).save()
    await new ClientCredentials({ client, scope: '' }).save()
    expect(told).to.deep.equal([
      ['custom', 'alice', 'backend', {}],
      ['client_credentials', 'backend', 'backend', {}],
    ])
  })

  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const [what, hook, told] of [
    ['throws errors.AccessDenied', throwing(new errors.AccessDenied('at night')), 'at night'],
    ['throws anything else', throwing(new Error('the ticket system is down: secret detail'))],
    ['throws another protocol error', throwing(new errors.InvalidRequest('secret detail'))],
    ['throws nothing at all', throwing(undefined)],
    ['answers an array', () => []],
    ['answers a string', () => 'claims' as never],
    ['answers null', () => null as never],
    ['answers what JSON cannot say', () => circular],
    ['answers a bigint', () => ({ n: 1n })],
  ] satisfies [string, GetCustomJwtClaims, string?][]) {
    const [status, error] = told ? [400, 'access_denied'] : [500, 'server_error']
    it(`I9: ${what}: ${status} ${error}, no token, and the subject token stays usable`, async () => {
      let fail = true
      deployment = await deployWith((input) =>
        fail && input.context.grant.type === TOKEN_EXCHANGE_GRANT_TYPE ? hook(input) : {},
      )
      const subject_token = await deployment.subjectToken()
      await expectAnswer(deployment.exchange({ subject_token }), status, {
        error,
        error_description: told ?? 'oops! something went wrong',
      })
      fail = false
      await deployment.redeem(subject_token)
    })
  }

  it('I6: does not see the value of an opaque token, nor a context or an actor where there is none', async () => {
    const seen: string[] = []
    deployment = await deployWith(async (input) => {
      const { grant, actor } = input.context
      seen.push(JSON.stringify([input.token, grant, actor]))
      expect([grant.subjectTokenContext, actor]).to.deep.equal([{}, undefined])
      return {}
    })
    const { body } = await exchange(deployment, {}, { resource: `${deployment.base}/opaque` })
    expect(seen.length).to.be.greaterThan(0)
    expect(seen.join()).to.not.include(body.access_token)
  })
})
