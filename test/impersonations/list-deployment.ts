import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { type Configuration, Provider } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { type Instance, setInstance } from '../../src/host/weak-cache.ts'
import { announceRoutes, issuerRoutes } from '../../src/http/routes.ts'
import { statusListUri } from '../../src/shared/uris.ts'
import { statusListSigner, statusLists } from '../../src/status-list/sign.ts'
import { signingKey } from '../support/deployment.ts'
import { closed, listening } from '../support/token-issuer.ts'
import { Store } from '../tokens/remembering-store.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface ListSetup {
  readonly configuration?: Partial<Configuration>
  readonly before?: Middleware
  /** What the issuer ends in. */
  readonly ending?: string
}

/** A provider with its status lists alone, over real HTTP, and a list with one index drawn. */
export async function deployLists({ configuration, before, ending = '' }: ListSetup = {}) {
  const server = createServer()
  const base = await listening(server)
  const issuer = `${base}/oidc${ending}`
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: { devInteractions: { enabled: false } },
    ...configuration,
  } as Configuration)
  const serverErrors: unknown[] = []
  provider.on('server_error', (ctx, error) => serverErrors.push([ctx.oidc.provider, error]))
  const store = new Store()
  store.time = Date.now()
  const indices = store.process({ issuer })
  const sign = statusListSigner(provider)
  if (!sign) throw new Error('the provider has no key')
  const parts = { issuer, adapter: store.adapter, indices, sign, now: () => store.time }
  // The routes of status lists use no other part.
  setInstance(provider, { statusLists: statusLists(parts) } as unknown as Instance)
  announceRoutes(provider)
  provider.use(issuerRoutes(provider))
  const app = new Koa()
  if (before) app.use(before)
  app.use(mount('/oidc', provider))
  server.on('request', app.callback())
  const { list, index } = await indices.draw()
  return {
    issuer,
    store,
    provider,
    serverErrors,
    /** An index that was drawn, of which list, and the `uri` that a token of it has. */
    list,
    index,
    uri: statusListUri(issuer, list),
    /** The path of the list, with the mount. */
    path: `/oidc/status-lists/${list}`,
    /** As it is on the wire: nothing is added and nothing is decoded. */
    ask: async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const { port } = new URL(base)
      const sent = request({ port, path, method, headers }).end()
      const [response]: IncomingMessage[] = await once(sent, 'response')
      const body = Buffer.concat((await response?.toArray()) ?? [])
      return { status: response?.statusCode ?? 0, headers: response?.headers ?? {}, body }
    },
    [Symbol.asyncDispose]: () => closed(server),
  }
}

export function problem({ body }: Answer): unknown {
  return JSON.parse(body.toString())
}
