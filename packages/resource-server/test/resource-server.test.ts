import { expect } from 'chai'
import type { JWTPayload } from 'jose'
import { deploy } from '../../../test/support/deployment.ts'
import { apiToken, resigned } from '../../../test/support/jwts.ts'
import { shared } from '../../../test/support/shared.ts'
import { signIn } from '../../../test/support/sign-in.ts'
import {
  type Caller,
  denyImpersonation,
  RequestRefused,
  type Requirement,
  requireScope,
  resourceServer,
} from '../src/index.ts'
import { expectAlice, refusal } from './refusal.ts'

describe('the guard of a resource server', () => {
  let api: ReturnType<typeof resourceServer>
  let own: string
  let acted: string
  let unnamed: string

  const deployment = shared(deploy)
  before(async () => {
    const { issuer, orders: audience } = deployment
    api = resourceServer({ issuer, audience })
    own = await apiToken(deployment, 'alice')
    const actor_token = await deployment.actorToken()
    acted = (await deployment.impersonate({ actor_token })).token
    unnamed = (await deployment.impersonate()).token
  })

  const forge = (changes: object, header = {}) => resigned(acted, changes, header)

  it('tells the user, who acts, whether anybody does, the scopes and the claims', async () => {
    const callers: Array<Partial<Caller>> = []
    for (const token of [own, acted, unnamed]) {
      const { userId, actor, isImpersonated, scopes } = await api.authenticate(`Bearer ${token}`)
      expect(scopes.has('orders:read')).to.equal(true)
      callers.push({ userId, actor, isImpersonated })
    }
    expect(callers).to.deep.equal([
      { userId: 'alice', actor: undefined, isImpersonated: false },
      { userId: 'alice', actor: { sub: 'olivia' }, isImpersonated: true },
      { userId: 'alice', actor: undefined, isImpersonated: true },
    ])
    const caller = await api.authenticate(`bearer ${acted}`)
    expect(caller.claims.client_id).to.equal('console')
    // It cannot be changed by what it is handed to.
    for (const part of [caller, caller.claims]) expect(part).to.be.frozen
    for (const scope of [undefined, ['orders:read'], 1]) {
      const token = await forge({ scope })
      expect((await api.authenticate(`Bearer ${token}`)).scopes.size).to.equal(0)
    }
  })

  const refused = (authorization: string | undefined, ...requirements: Requirement[]) =>
    refusal(api.authenticate(authorization, ...requirements))

  it('no credentials: a challenge without an error code (RFC 6750 §3.1)', async () => {
    for (const authorization of [undefined, '', 'Basic x', 'DPoP x', `Bearerx ${own}`]) {
      const error = await refused(authorization)
      expect([error.status, error.challenge('orders')]).to.deep.equal([
        401,
        'Bearer realm="orders"',
      ])
    }
  })

  it('401 invalid_token for whatever is no access token for this API', async () => {
    const now = Math.floor(Date.now() / 1000)
    const idToken = (await signIn(deployment, 'alice')).id_token
    const tokens = {
      garbage: 'garbage',
      'an ID token': idToken,
      'for another audience': await deployment.m2mToken(),
      expired: await forge({ exp: now - 10 }),
      'of another issuer': await forge({ iss: 'https://else.example' }),
      'typ JWT': await forge({}, { typ: 'JWT' }),
      'without jti': await forge({ jti: undefined }),
      'without exp': await forge({ exp: undefined }),
      'without sub': await forge({ sub: undefined }),
      'without client_id': await forge({ client_id: undefined }),
      'with a number for sub': await forge({ sub: 1 }),
      'not valid yet': await forge({ nbf: now + 60 }),
      'a chain of persons': await forge({ act: { sub: 'bob', act: { sub: 'olivia' } } }),
      'of an unknown key': await forge({}, { kid: 'unknown' }),
      'sender-constrained': await forge({ cnf: { jkt: 'x' } }),
      'act without sub': await forge({ act: {} }),
      'act a string': await forge({ act: 'olivia' }),
      'alg none': `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${acted.split('.')[1]}.`,
    }
    for (const [what, token] of Object.entries(tokens)) {
      const error = await refused(`Bearer ${token}`)
      expect(error, what).to.include({ status: 401, error: 'invalid_token' })
      expect(JSON.stringify([error, error.challenge('x')])).to.not.include(token)
      // The reason is for the log.
      if (what === 'for another audience') expect(String(error.cause)).to.include('"aud"')
    }
  })

  it('requireScope and denyImpersonation, with the words of RFC 6750', async () => {
    const write = requireScope('orders:write')
    const lacking = await refused(`Bearer ${own}`, write)
    expect(lacking).to.include({ status: 403, error: 'insufficient_scope', scope: 'orders:write' })
    expect(lacking.challenge('x')).to.include('scope="orders:write"')
    await expectAlice(api.authenticate(`Bearer ${own}`, denyImpersonation()))
    for (const token of [acted, unnamed]) {
      const denied = await refused(`Bearer ${token}`, denyImpersonation())
      expect(denied).to.include({ status: 403, error: 'access_denied' })
    }
  })

  it('a requirement is waited for; one that was not called, or that answers what it thinks, lets nobody in', async () => {
    const description = 'suspended'
    const inGoodStanding = async ({ userId }: Caller) => {
      if ((await Promise.resolve(userId)) !== 'alice') return
      throw new RequestRefused(403, { error: 'access_denied', description })
    }
    expect(await refused(`Bearer ${own}`, inGoodStanding)).to.include({ message: description })
    const uncalled = [denyImpersonation, requireScope, ({ scopes }: Caller) => scopes.has('admin')]
    for (const requirement of uncalled) {
      for (const token of [own, acted]) {
        // The types refuse it.
        const judged = Reflect.apply(api.authenticate, api, [`Bearer ${token}`, requirement])
        const error = await Promise.resolve(judged).catch((thrown: unknown) => thrown)
        expect(error).to.be.an.instanceOf(TypeError)
      }
    }
  })

  it('requireScope takes one scope, and no mistake for one', () => {
    for (const scope of ['', ' ', 'orders:read orders:write', 'a"b', undefined, null, ['a']]) {
      expect(() => Reflect.apply(requireScope, undefined, [scope])).to.throw(
        TypeError,
        'requireScope needs one scope token',
      )
    }
  })

  it('an act claim, or the beginning of the jti, tells that the caller is impersonated', async () => {
    const impersonated = async (change: JWTPayload) => {
      const token = await forge({ act: undefined, ...change })
      return (await api.authenticate(`Bearer ${token}`)).isImpersonated
    }
    expect(await impersonated({ jti: 'x', act: { sub: 'olivia' } })).to.equal(true)
    expect(await impersonated({ jti: 'impersonation:x' })).to.equal(true)
    expect(await impersonated({ jti: 'x' })).to.equal(false)
    expect(await impersonated({ jti: 'no-impersonation:x' })).to.equal(false)
  })

  it('clockTolerance is five seconds, unless told otherwise', async () => {
    const { issuer, orders: audience } = deployment
    const strict = resourceServer({ issuer, audience, clockTolerance: 0 })
    const lax = resourceServer({ issuer, audience, clockTolerance: 60 })
    const now = Math.floor(Date.now() / 1000)
    const expired = (seconds: number) => forge({ exp: now - seconds })
    const passes = async (guard: typeof api, seconds: number) =>
      guard.authenticate(`Bearer ${await expired(seconds)}`).then(
        () => true,
        () => false,
      )
    expect(await passes(strict, 1)).to.equal(false)
    expect(await passes(api, 1)).to.equal(true)
    expect(await passes(api, 5)).to.equal(false)
    expect(await passes(lax, 30)).to.equal(true)
  })

  it('a header that is no single bearer token is malformed, and said to be', async () => {
    for (const authorization of ['Bearer', 'Bearer ', `Bearer ${own} x`, `Bearer ${own},${own}`]) {
      expect((await refused(authorization)).challenge('x')).to.equal(
        'Bearer realm="x", error="invalid_token", error_description="the Authorization header is malformed"',
      )
    }
    await expectAlice(api.authenticate(`BEARER   ${own}`))
  })

  it('what cannot stand in a header does not get into a challenge', async () => {
    const description = 'a "b" \\ c\r\nX: y \u00e9~'
    const refused = new RequestRefused(403, { error: 'e', description, scope: 'a"b' })
    expect(refused.challenge('r"\n')).to.equal(
      'Bearer realm="r??", error="e", error_description="a ?b? ? c??X: y ?~", scope="a?b"',
    )
    expect(JSON.parse(JSON.stringify(refused))).to.deep.equal({
      error: 'e',
      error_description: description,
    })
    expect(refused.name).to.equal('RequestRefused')
  })
})
