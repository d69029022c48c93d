import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { type Fetch, resourceServer } from '../../packages/resource-server/src/index.ts'
import { verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploymentConfiguration } from '../support/deployment-configuration.ts'
import { answerOf, basic, type Form, urlencoded } from '../support/http.ts'
import { idOf } from '../support/managing.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

/** A provider at some place, and the guard of an API. */
export interface Meeting {
  /** The issuer, of a server at `base`. */
  readonly issuer?: (base: string) => string
  /** The path of the provider's routes at that server. */
  readonly path?: string
  /** What serves the provider there. */
  readonly serve?: (provider: Provider, path: string) => RequestListener
  /** How an API asks the provider of the server at `base`. */
  readonly fetch?: (base: string) => Fetch
  /** What a client adds to its requests. */
  readonly headers?: Record<string, string>
}

/** Impersonates, ends, and resolves what an API says before and after. */
export async function meet({
  issuer: issuerOf = (base) => `${base}/oidc`,
  path = '/oidc',
  serve = withKoa,
  fetch: fetchOf,
  headers = {},
}: Meeting): Promise<{ before: string; after: string }> {
  using clock = stoppedClock()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = issuerOf(base)
  const audience = `${base}/orders`
  const provider = new Provider(issuer, deploymentConfiguration(base, new Set(['alice']), {}))
  const managementApi = new Koa().use(provider.impersonation.routes()).callback()
  const listener = serve(provider, path)
  server.on('request', (request, response) =>
    (request.url?.startsWith('/api/') ? managementApi : listener)(request, response),
  )
  const post = async (to: string, body: URLSearchParams | string, more = {}) => {
    const init = { method: 'POST', body, headers: { ...headers, ...more } }
    const answer = await answerOf(await fetch(`${base}${to}`, init))
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201)
    return answer.body
  }
  const ask = (form: Form, more = {}) => post(`${path}/token`, urlencoded(form), more)
  const { access_token: machine } = await ask(
    { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
    basic('backend', 'backend-secret'),
  )
  const { subjectToken: subject_token } = await post('/api/subject-tokens', '{"userId":"alice"}', {
    authorization: `Bearer ${machine}`,
    'content-type': 'application/json',
  })
  const { access_token: token } = await ask({
    grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
    client_id: 'console',
    subject_token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    resource: audience,
    scope: 'orders:read',
  })
  const send = fetchOf?.(base) ?? fetch
  // As APIs that start just then, so that no copy is held.
  const say = () => {
    const api = resourceServer({ issuer, audience, requireStatus: true, fetch: send })
    return verdict(api, token)
  }
  const before = await say()
  await provider.impersonation.end(idOf(subject_token))
  // Past the second for which the provider serves one signature.
  clock.pass(1)
  const after = await say()
  server.close()
  server.closeAllConnections()
  return { before, after }
}

export function withKoa(provider: Provider, path: string): RequestListener {
  const app = new Koa({ proxy: provider.proxy })
  return app.use(mount(path === '' ? '/' : path, provider)).callback()
}
