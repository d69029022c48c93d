import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { certificate, otherCertificate } from '../support/certificates.ts'
import { later } from '../support/clock.ts'
import {
  type Answer,
  type DeploymentOptions,
  REDIRECT_URI,
  signingKey,
} from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf, basic } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'

const PATH = '/oidc/impersonations/current/end'
const CONSOLE = 'https://console.example.com'

/** An impersonated access token, and the id of its impersonation. */
async function impersonate(
  deployment: Managed,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<{ id: string; token: string }> {
  const { id, subjectToken } = await deployment.start()
  const { status, body } = await deployment.exchange(
    { subject_token: subjectToken, ...form },
    headers,
  )
  expect(status, JSON.stringify(body)).to.equal(200)
  return { id, token: body.access_token }
}

async function end(base: string, headers: Record<string, string>): Promise<Answer> {
  return answerOf(await fetch(`${base}${PATH}`, { method: 'POST', headers }))
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('POST {issuer}/impersonations/current/end', () => {
  let deployment: Managed
  const stateOf = async (id: string) => (await deployment.get(`/${id}`)).body.state
  before(async () => {
    deployment = await managing({ configuration: { features: { dPoP: { enabled: false } } } })
  })
  after(() => deployment.close())

  for (const [what, resource] of [
    ['a JWT', 'orders'],
    ['an opaque token', 'opaque'],
  ]) {
    it(`${what} ends its own impersonation: 204, and the same token again is 401`, async () => {
      const { access_token: actor_token } = await signIn(deployment, 'olivia')
      const form = { resource: `${deployment.base}/${resource}`, actor_token }
      const { id, token } = await impersonate(deployment, form)
      const other = await impersonate(deployment, form)
      const before = (await deployment.events()).length
      const { status, body, headers } = await end(deployment.base, bearer(token))
      expect([status, body, headers.get('cache-control')]).to.deep.equal([204, '', 'no-store'])
      const { state, end: ended } = (await deployment.get(`/${id}`)).body
      const by = { sub: 'olivia' }
      expect([state, ended]).to.deep.equal(['ended', { at: ended.at, by, cause: 'requested' }])
      const again = await end(deployment.base, bearer(token))
      expect([again.status, again.body.error]).to.deep.equal([401, 'invalid_token'])
      expect(await stateOf(other.id)).to.equal('active')
      const events = (await deployment.events(before + 2)).slice(before)
      expect(events.map(({ name, denial }) => [name, denial?.stage, denial?.error])).to.deep.equal([
        ['impersonation.ended', undefined, undefined],
        ['impersonation.denied', 'end', 'invalid_token'],
      ])
      expect(events[0]).to.deep.include({ id, subject: 'alice', actor: by, end: ended })
      // The provider does not know an opaque token any more.
      const told = resource === 'orders' ? { subject: 'alice', client: 'console', id } : {}
      expect(events[1]).to.include(told)
      expect(JSON.stringify(events)).to.not.include(token)
    })
  }

  it('401 for every other token, and for one that has expired; nothing ends', async () => {
    const { base, issuer, orders } = deployment
    const { id, token } = await impersonate(deployment)
    const opaque = await impersonate(deployment, { resource: `${base}/opaque` })
    const own = await signIn(deployment, 'alice', { scope: 'openid offline_access' })
    const jwt = await signIn(deployment, 'alice', {
      scope: 'openid orders:read',
      resource: orders,
    })
    const { subjectToken } = await deployment.start()
    const claims = decodeJwt(token)
    const forge = async (changed: object, typ = 'at+jwt', key = signingKey) =>
      new SignJWT({ ...claims, ...changed })
        .setProtectedHeader({ alg: 'ES256', typ, kid: 'test' })
        .sign(await importJWK(key, 'ES256'))
    const { privateKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign'],
    )
    const foreign = { ...(await crypto.subtle.exportKey('jwk', privateKey)), kty: 'EC' }
    const [head, body] = token.split('.')
    const others: Record<string, string> = {
      "the user's own token": own.access_token,
      "the user's own JWT": jwt.access_token,
      'an ID token': own.id_token ?? '',
      'a refresh token': own.refresh_token ?? '',
      'a code': own.code,
      'a machine token': deployment.token,
      'a subject token': subjectToken,
      garbage: 'garbage',
      'garbage with dots': 'a.b.c',
      'no signature': `${head}.${body}.`,
      'another signature': `${head}.${body}.${'A'.repeat(86)}`,
      'of a foreign key': await forge({}, 'at+jwt', { ...foreign, alg: 'ES256' }),
      'of another type': await forge({}, 'JWT'),
      'of another issuer': await forge({ iss: 'https://elsewhere.example' }),
      "without the provider's mark": await forge({ jti: id }),
      'with act, and without the mark': await forge({ jti: 'x', act: { sub: 'olivia' } }),
      'of no impersonation': await forge({ jti: `impersonation:${'A'.repeat(43)}` }),
      'of an empty id': await forge({ jti: 'impersonation:' }),
      "of a client that is the user: a client's own": await forge({ sub: 'console' }),
      'of a client that is gone': await forge({ client_id: 'gone' }),
      'bound to a key': await forge({ cnf: { jkt: 'x' } }),
    }
    for (const [what, value] of Object.entries(others)) {
      const answer = await end(base, bearer(value))
      expect([answer.status, answer.body], what).to.deep.equal([
        401,
        { error: 'invalid_token', error_description: 'invalid token provided' },
      ])
      expect(answer.headers.get('www-authenticate'), what).to.equal(
        `Bearer realm="${issuer}", error="invalid_token", error_description="invalid token provided"`,
      )
      expect(answer.headers.get('cache-control')).to.equal('no-store')
    }
    for (const headers of [{}, basic('web', 'web-secret'), { 'x-token': token }]) {
      const answer = await end(base, headers)
      expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([
        401,
        `Bearer realm="${issuer}"`,
      ])
    }
    const inBody = await deployment.post(PATH, { access_token: token })
    const inQuery = await deployment.post(`${PATH}?access_token=${token}`, {})
    expect([inBody.status, inQuery.status]).to.deep.equal([401, 401])
    expect([await stateOf(id), await stateOf(opaque.id)]).to.deep.equal(['active', 'active'])
    {
      using _ = later(3_601_000)
      for (const expired of [token, opaque.token]) {
        expect((await end(base, bearer(expired))).status).to.equal(401)
      }
    }
    expect(deployment.serverErrors).to.deep.equal([])
    // And the path is good for this one.
    expect((await end(base, bearer(token))).status).to.equal(204)
  })

  it('a JWT that outlives what the record says of it by a second: 401, since nothing ended', async () => {
    const { id, token } = await impersonate(deployment)
    const { exp = 0, ...claims } = decodeJwt(token)
    const longer = await new SignJWT({ ...claims, exp: exp + 60 })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
      .sign(await importJWK(signingKey, 'ES256'))
    using _ = later(901_000)
    expect((await end(deployment.base, bearer(longer))).status).to.equal(401)
    expect((await deployment.provider.impersonation.get(id))?.state).to.equal('expired')
  })

  it('one that was ended by others is 401, and says no more', async () => {
    const { id, token } = await impersonate(deployment)
    await deployment.send(`/${id}/end`, { by: { sub: 'alice' }, cause: 'user' })
    const { status, body } = await end(deployment.base, bearer(token))
    expect([status, body.error_description]).to.deep.equal([401, 'invalid token provided'])
    expect((await deployment.get(`/${id}`)).body.end.cause).to.equal('user')
  })

  it('many at once: one event, and each answer is 204 or 401', async () => {
    const { id, token } = await impersonate(deployment)
    const before = (await deployment.events()).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => end(deployment.base, bearer(token))),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses.has(204)).to.equal(true)
    expect([...statuses].filter((status) => status !== 204 && status !== 401)).to.deep.equal([])
    const events = (await deployment.events(before + 1)).slice(before)
    const ended = events.filter(({ name }) => name === 'impersonation.ended')
    expect(ended.map((event) => event.id)).to.deep.equal([id])
  })

  it('405 for other methods, HEAD among them; other paths are not this one', async () => {
    const { id, token } = await impersonate(deployment)
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${deployment.base}${PATH}`, { method, headers: bearer(token) })
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([
        405,
        'POST, OPTIONS',
      ])
    }
    const paths = [`${PATH}/`, PATH.toUpperCase(), PATH.replace('c', '%63'), `/oidc/${PATH}`]
    for (const path of [...paths, PATH.slice('/oidc'.length)]) {
      const answer = await answerOf(
        await fetch(`${deployment.base}${path}`, { method: 'POST', headers: bearer(token) }),
      )
      expect(answer.status, path).to.equal(404)
    }
    expect(await stateOf(id)).to.equal('active')
  })

  it('I5: storage that fails is a 500 in JSON, and the token can be tried again', async () => {
    const { adapter, faults } = faultyAdapter()
    const failing = await managing({ configuration: { adapter } })
    const jwt = await impersonate(failing)
    const opaque = await impersonate(failing, { resource: `${failing.base}/opaque` })
    for (const [fault, token] of [
      ['SubjectToken.find', jwt.token],
      ['SubjectToken.find', opaque.token],
      ['SubjectToken.endOnce', jwt.token],
      ['AccessToken.find', opaque.token],
    ] as const) {
      faults.add(fault)
      const { status, body } = await end(failing.base, bearer(token))
      expect([status, body], fault).to.deep.equal([
        500,
        { error: 'server_error', error_description: 'oops! something went wrong' },
      ])
      faults.clear()
    }
    expect(failing.serverErrors).to.have.lengthOf(4)
    for (const { token } of [jwt, opaque]) {
      expect((await end(failing.base, bearer(token))).status).to.equal(204)
    }
    await failing.close()
  })
})

describe('I10: …/impersonations/current/end takes a bound token with its proof alone', () => {
  const dPoP = { enabled: true, nonceSecret: Buffer.alloc(32, 1) } as const

  for (const resource of ['orders', 'opaque']) {
    it(`DPoP (${resource})`, async () => {
      let requireNonce = false
      const deployment = await managing({
        configuration: { features: { dPoP: { ...dPoP, requireNonce: () => requireNonce } } },
      })
      const { base, issuer } = deployment
      const key = await dpopKey()
      const form = { resource: `${base}/${resource}` }
      const bind = async (by: DPoPKey) =>
        impersonate(deployment, form, { dpop: await by.proof({ htu: `${issuer}/token` }) })
      const { id, token } = await bind(key)
      const htu = `${base}${PATH}`
      const ath = athOf(token)
      const authorization = `DPoP ${token}`
      const refused: Array<[what: string, error: string, headers: Record<string, string>]> = [
        ['as a bearer token', 'invalid_token', bearer(token)],
        [
          'as a bearer token beside a proof',
          'invalid_token',
          { ...bearer(token), dpop: await key.proof({ htu, ath }) },
        ],
        ['without a proof', 'invalid_token', { authorization }],
        ['with garbage', 'invalid_dpop_proof', { authorization, dpop: 'x' }],
        [
          'by another key',
          'invalid_token',
          { authorization, dpop: await (await dpopKey()).proof({ htu, ath }) },
        ],
        [
          'for another URL',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htu: `${issuer}/token`, ath }) },
        ],
        [
          'for another method',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htm: 'GET', htu, ath }) },
        ],
        [
          'for another token',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htu, ath: athOf('x') }) },
        ],
      ]
      for (const [what, error, headers] of refused) {
        const answer = await end(base, headers)
        expect([answer.status, answer.body.error], what).to.deep.equal([401, error])
        const scheme = headers.authorization?.split(' ')[0]
        const challenge = answer.headers.get('www-authenticate') ?? ''
        expect(challenge.startsWith(`${scheme} realm="${issuer}"`), challenge).to.equal(true)
        expect(challenge.includes(`error="${error}"`), challenge).to.equal(true)
      }
      expect((await deployment.get(`/${id}`)).body.state).to.equal('active')

      const before = (await deployment.events()).length
      requireNonce = true
      const asked = await end(base, { authorization, dpop: await key.proof({ htu, ath }) })
      expect([asked.status, asked.body.error]).to.deep.equal([401, 'use_dpop_nonce'])
      expect((await deployment.events()).length).to.equal(before)
      const nonce = asked.headers.get('dpop-nonce')
      const dpop = await key.proof({ htu, ath, nonce })
      expect((await end(base, { authorization, dpop })).status).to.equal(204)
      await deployment.close()
    })
  }

  it('a proof that was used before is refused before anything ends', async () => {
    const { adapter, faults } = faultyAdapter()
    const deployment = await managing({ configuration: { adapter, features: { dPoP } } })
    const { base, issuer } = deployment
    const key = await dpopKey()
    const proof = await key.proof({ htu: `${issuer}/token` })
    const { id, token } = await impersonate(deployment, {}, { dpop: proof })
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: await key.proof({ htu: `${base}${PATH}`, ath: athOf(token) }),
    }
    faults.add('SubjectToken.endOnce')
    expect((await end(base, headers)).status).to.equal(500)
    faults.clear()
    const replayed = await end(base, headers)
    expect([replayed.status, replayed.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
    await deployment.close()
  })

  it('a token that is bound to no key, under the DPoP scheme', async () => {
    const deployment = await managing({ configuration: { features: { dPoP } } })
    const { token } = await impersonate(deployment)
    const key = await dpopKey()
    const dpop = await key.proof({ htu: `${deployment.base}${PATH}`, ath: athOf(token) })
    const answer = await end(deployment.base, { authorization: `DPoP ${token}`, dpop })
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token'])
    await deployment.close()
  })

  it('mTLS', async () => {
    let shown: string | undefined = certificate
    const deployment = await managing({
      configuration: {
        features: {
          mTLS: {
            enabled: true,
            certificateBoundAccessTokens: true,
            getCertificate: () => shown,
          },
        },
      },
      clients: [
        {
          client_id: 'bound',
          client_secret: 'secret',
          tls_client_certificate_bound_access_tokens: true,
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
          redirect_uris: [REDIRECT_URI],
        },
      ],
    })
    for (const resource of ['orders', 'opaque']) {
      shown = certificate
      const form = { resource: `${deployment.base}/${resource}` }
      const { token } = await impersonate(deployment, form, basic('bound', 'secret'))
      const statuses: number[] = []
      for (shown of [undefined, otherCertificate, certificate]) {
        statuses.push((await end(deployment.base, bearer(token))).status)
      }
      expect(statuses, resource).to.deep.equal([401, 401, 204])
    }
    await deployment.close()
  })
})

describe('…/impersonations/current/end: CORS as the token endpoint', () => {
  const clientBasedCORS = (_ctx: unknown, origin: string, client: { clientId: string }) =>
    origin === CONSOLE && client.clientId === 'console'
  const configurations: Record<string, DeploymentOptions['configuration']> = {
    'where clientBasedCORS allows the origin for the client': { clientBasedCORS },
    'where nonces have to be read': {
      clientBasedCORS,
      features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } },
    },
    'by default: no other origin': {},
  }

  for (const [what, configuration = {}] of Object.entries(configurations)) {
    it(what, async () => {
      const deployment = await managing({ configuration })
      const { base } = deployment
      const cors = ({ status, headers }: { status: number; headers: Headers }) => ({
        status: status === 204 ? 200 : status,
        cors: [...headers].filter(([name]) => /^access-control-|^vary$/.test(name)),
      })
      const preflight = async (path: string, headers: Record<string, string>) =>
        cors(await fetch(`${base}${path}`, { method: 'OPTIONS', headers }))
      for (const origin of [CONSOLE, 'https://evil.example', 'null']) {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,dpop',
        }
        const expected = await preflight('/oidc/token', headers)
        expect(expected.cors, origin).to.have.length.greaterThan(3)
        expect(await preflight(PATH, headers), origin).to.deep.equal(expected)
      }
      for (const origin of [undefined, CONSOLE, 'https://evil.example', 'null']) {
        const from: Record<string, string> = origin === undefined ? {} : { origin }
        const { subjectToken } = await deployment.start()
        const exchanged = cors(await deployment.exchange({ subject_token: subjectToken }, from))
        const { id, token } = await impersonate(deployment)
        const ended = await end(base, { ...bearer(token), ...from })
        expect(cors(ended), origin).to.deep.equal(exchanged)
        const isAllowed =
          origin === undefined || (origin === CONSOLE && 'clientBasedCORS' in configuration)
        expect(ended.status, origin).to.equal(isAllowed ? 204 : 400)
        const { state } = (await deployment.get(`/${id}`)).body
        expect(state, origin).to.equal(isAllowed ? 'ended' : 'active')
        if (isAllowed) continue
        expect(ended.body).to.deep.equal({
          error: 'invalid_request',
          error_description: `origin ${origin} not allowed for client: console`,
        })
      }
      // Before a client is known, both answer so that a script can read the error.
      const unknown = cors(
        await deployment.post(
          '/oidc/token',
          {
            grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
            client_id: 'unknown',
            subject_token: 'x',
            subject_token_type: ACCESS_TOKEN_TYPE,
          },
          { origin: CONSOLE },
        ),
      )
      expect(unknown.status).to.equal(401)
      expect(cors(await end(base, { ...bearer('x'), origin: CONSOLE }))).to.deep.equal(unknown)
      await deployment.close()
    })
  }

  it('a clientBasedCORS that throws is a 500, and nothing ends', async () => {
    const deployment = await managing({
      configuration: {
        clientBasedCORS: () => {
          throw new Error('the database of origins is down')
        },
      },
    })
    const { id, token } = await impersonate(deployment)
    const answer = await end(deployment.base, { ...bearer(token), origin: CONSOLE })
    expect([answer.status, answer.body.error]).to.deep.equal([500, 'server_error'])
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
    await deployment.close()
  })
})

describe('…/impersonations/current/end: wherever the provider is mounted', () => {
  const mountings: Record<string, [path: string, listener: (all: Managed) => RequestListener]> = {
    'at the root': [
      '/impersonations/current/end',
      ({ provider }) => provider.callback() as RequestListener,
    ],
    'below two paths of Koa, behind a proxy': [
      '/a/b/impersonations/current/end',
      ({ provider }) => {
        const app = new Koa({ proxy: true })
        app.use(mount('/a', mount('/b', provider)))
        return app.callback()
      },
    ],
    'below a path of Express': [
      '/identity/impersonations/current/end',
      ({ provider }) => {
        const listener = provider.callback() as RequestListener
        return (request, response) => {
          const url = request.url ?? ''
          const mounted = Object.assign(request, { originalUrl: url })
          mounted.url = url.slice('/identity'.length)
          listener(mounted, response)
        }
      },
    ],
  }

  for (const [what, [path, listenerOf]] of Object.entries(mountings)) {
    it(what, async () => {
      const deployment = await managing({
        configuration: { features: { dPoP: { enabled: true } } },
      })
      const server = createServer(listenerOf(deployment)).listen(0, '127.0.0.1').unref()
      await once(server, 'listening')
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const isProxied = what.endsWith('proxy')
      const origin = isProxied ? 'https://id.example.com' : base
      const key = await dpopKey()
      const proof = await key.proof({ htu: `${deployment.issuer}/token` })
      const { id, token } = await impersonate(deployment, {}, { dpop: proof })
      const send = async (htu: string) =>
        fetch(`${base}${path}`, {
          method: 'POST',
          headers: {
            ...(isProxied
              ? { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example.com' }
              : {}),
            authorization: `DPoP ${token}`,
            dpop: await key.proof({ htu, ath: athOf(token) }),
          },
        })
      expect((await send(`${origin}/impersonations/current/end/x`)).status).to.equal(401)
      expect((await send(`${origin}${path}`)).status).to.equal(204)
      expect((await deployment.get(`/${id}`)).body.state).to.equal('ended')
      server.close()
      server.closeAllConnections()
      await deployment.close()
    })
  }
})
