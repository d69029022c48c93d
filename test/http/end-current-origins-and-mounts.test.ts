import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { bearer, CURRENT, type DeploymentOptions, END_CURRENT } from '../support/deployment.ts'
import { athOf, dpopKey } from '../support/dpop.ts'
import { expectAnswer } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'
import { closed, listening } from '../support/token-issuer.ts'

/** No redirect URI of the client has it. */
const CONSOLE = 'https://pages.example.com'

describe('…/impersonations/current and …/current/end: CORS as the token endpoint', () => {
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
      await using deployment = await managing({ configuration })
      const { base } = deployment
      const cors = ({ status, headers }: { status: number; headers: Headers }) => ({
        status: status === 204 ? 200 : status,
        cors: [...headers].filter(([name]) => /^access-control-|^vary$/.test(name)),
      })
      const preflight = async (path: string, headers: Record<string, string>) =>
        cors(await fetch(`${base}${path}`, { method: 'OPTIONS', headers }))
      for (const origin of [undefined, CONSOLE, 'https://evil.example', 'null']) {
        const from: Record<string, string> = origin === undefined ? {} : { origin }
        const asking = { ...from, 'access-control-request-headers': 'authorization,dpop' }
        const asked = (method: string) => ({ ...asking, 'access-control-request-method': method })
        const expected = await preflight('/oidc/token', asked('POST'))
        expect(await preflight(END_CURRENT, asked('POST')), origin).to.deep.equal(expected)
        const get = expected.cors.map(([name, value]) => [name, value === 'POST' ? 'GET' : value])
        const told = await preflight(CURRENT, asked('GET'))
        expect(told, origin).to.deep.equal({ ...expected, cors: get })
        const { id, token } = await deployment.impersonate()
        const exchanged = cors(await deployment.exchange({}, from))
        const headers = { ...bearer(token), ...from }
        expect(cors(await deployment.current(headers)), origin).to.deep.equal(exchanged)
        const ended = await deployment.endCurrent(headers)
        expect(cors(ended), origin).to.deep.equal(exchanged)
        const isAllowed =
          origin === undefined || (origin === CONSOLE && 'clientBasedCORS' in configuration)
        await expectAnswer(
          ended,
          isAllowed ? 204 : 400,
          isAllowed
            ? undefined
            : {
                error: 'invalid_request',
                error_description: `origin ${origin} not allowed for client: console`,
              },
        )
        const { state } = (await deployment.get(`/${id}`)).body
        expect(state, origin).to.equal(isAllowed ? 'ended' : 'active')
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
      expect(cors(await deployment.endCurrent({ ...bearer('x'), origin: CONSOLE }))).to.deep.equal(
        unknown,
      )
    })
  }

  it('a clientBasedCORS that throws is a 500, and nothing ends', async () => {
    await using deployment = await managing({
      configuration: {
        clientBasedCORS: () => {
          throw new Error('the database of origins is down')
        },
      },
    })
    const { id, token } = await deployment.impersonate()
    await expectAnswer(
      deployment.endCurrent({ ...bearer(token), origin: CONSOLE }),
      500,
      'server_error',
    )
    await deployment.expectState(id, 'active')
  })
})

describe('…/impersonations/current/end: wherever the provider is mounted', () => {
  const mountings: Record<string, [path: string, listener: (all: Managed) => RequestListener]> = {
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
      await using deployment = await managing()
      const server = createServer(listenerOf(deployment))
      const base = await listening(server)
      const key = await dpopKey()
      const proof = await key.proof({ htu: `${deployment.issuer}/token` })
      const { id, token } = await deployment.impersonate({}, { dpop: proof })
      const send = async (htu: string) =>
        fetch(`${base}${path}`, {
          method: 'POST',
          headers: {
            authorization: `DPoP ${token}`,
            dpop: await key.proof({ htu, ath: athOf(token) }),
          },
        })
      for (const origin of [base, 'https://id.example.com']) {
        await expectAnswer(send(`${origin}${path}`), 401, undefined, 'by its Host')
      }
      const known = `${deployment.issuer}/impersonations/current/end`
      await expectAnswer(send(`${known}/x`), 401)
      await expectAnswer(send(known), 204)
      await deployment.expectState(id, 'ended')
      await closed(server)
    })
  }
})
