import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JSONWebKeySet, JWK } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import type { AdapterFactory } from 'oidc-provider'
import { type ResourceServer, resourceServer } from '../../packages/resource-server/src/index.ts'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploymentConfiguration } from '../support/deployment-configuration.ts'
import { type Answer, answerOf, urlencoded } from '../support/http.ts'
import { idOf } from '../support/managing.ts'

/** What one process of the provider starts with. */
export interface ProcessOptions {
  readonly adapter: AdapterFactory
  /** Of `jwks`, in this order. */
  readonly keys: readonly JWK[]
}

/** What an operator runs. */
export interface Run {
  readonly id: string
  readonly token: string
}

/** A provider at one address, over real HTTP, whose processes are replaced. */
export interface RestartedProvider extends AsyncDisposable {
  readonly issuer: string
  readonly audience: string
  /** A resource whose access tokens are opaque. */
  readonly opaque: string
  /** Replaces the processes that answer. Each takes its turn, as behind a balancer. */
  serve(...processes: readonly ProcessOptions[]): void
  /** The process that answers next. */
  readonly provider: Provider
  issue(): Promise<string>
  exchange(subjectToken: string, resource?: string): Promise<Answer>
  /** Issues and exchanges. */
  run(resource?: string): Promise<Run>
  /** What the provider says of an opaque token. */
  introspect(token: string): Promise<Answer>
  publishedKeys(): Promise<JSONWebKeySet>
  /** An API that has just started, which requires a status. */
  newApi(): ResourceServer
}

export async function startRestartedProvider(): Promise<RestartedProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = `${base}/oidc`
  const audience = `${base}/orders`
  let processes: Array<{ provider: Provider; listener: RequestListener }> = []

  function nextProcess() {
    const [next] = processes
    if (!next) throw new Error('no process serves')
    processes = [...processes.slice(1), next]
    return next
  }

  function startProcess({ adapter, keys }: ProcessOptions) {
    const provider = new Provider(
      issuer,
      deploymentConfiguration(base, new Set(['alice']), {
        configuration: { adapter, jwks: { keys: [...keys] } },
      }),
    )
    return { provider, listener: new Koa().use(mount('/oidc', provider)).callback() }
  }

  server.on('request', (request, response) => nextProcess().listener(request, response))

  async function issue(): Promise<string> {
    const { impersonation } = nextProcess().provider
    const { subjectToken } = await impersonation.issue({ userId: 'alice' }, { as: 'backend' })
    return subjectToken
  }

  async function exchange(subjectToken: string, resource = audience): Promise<Answer> {
    const body = urlencoded({
      grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
      client_id: 'console',
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      resource,
      scope: 'orders:read',
    })
    return answerOf(await fetch(`${issuer}/token`, { method: 'POST', body }))
  }

  return {
    issuer,
    audience,
    opaque: `${base}/opaque`,
    serve(...all) {
      processes = all.map(startProcess)
    },
    get provider() {
      return nextProcess().provider
    },
    issue,
    exchange,
    async run(resource) {
      const subjectToken = await issue()
      const { status, body } = await exchange(subjectToken, resource)
      if (status !== 200) throw new Error(`no exchange: ${JSON.stringify(body)}`)
      return { id: idOf(subjectToken), token: body.access_token }
    },
    async introspect(token) {
      const body = urlencoded({ client_id: 'console', token })
      return answerOf(await fetch(`${issuer}/token/introspection`, { method: 'POST', body }))
    },
    async publishedKeys() {
      return (await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet
    },
    newApi: () => resourceServer({ issuer, audience, requireStatus: true }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
