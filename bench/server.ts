// The provider under measurement, in its own process. Argument: ServerOptions in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import { type AsymmetricSigningAlgorithm, errors } from 'oidc-provider'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../src/index.ts'
import type { Question, ServerOptions } from './process.ts'
import { openStorage } from './storage.ts'

const options: ServerOptions = JSON.parse(process.argv[2] ?? '{}')
const { alg, ttl } = options
const storage = await openStorage(options.storage, options.database)
const { privateKey } = await generateKeyPair(alg, { extractable: true })
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const signingAlgorithm = alg as AsymmetricSigningAlgorithm

const provider = new Provider(`${base}/oidc`, {
  adapter: storage.adapter,
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig' }] },
  clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
  // oidc-provider does not enable every algorithm by default, for example not ES384.
  enabledJWA: { idTokenSigningAlgValues: [signingAlgorithm] },
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret',
      grant_types: ['client_credentials', TOKEN_EXCHANGE_GRANT_TYPE],
      redirect_uris: [],
      response_types: [],
    },
  ],
  ttl: { AccessToken: () => 600, ClientCredentials: () => 600 },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      getResourceServerInfo(_ctx, resource) {
        if (resource !== 'https://api.example.com') throw new errors.InvalidTarget()
        return {
          scope: 'read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: signingAlgorithm } },
        }
      },
    },
    impersonation: {
      enabled: true,
      managementApi: { resource: `${base}/api`, tokenTtl: 86400, clients: ['bench'] },
      subjectToken: { ttl },
    },
  },
})
const app = new Koa()
app.use(provider.impersonation.routes())
app.use(mount('/oidc', provider))
server.on('request', app.callback())
process.send?.({ base })

process.on('message', async ({ ask, parameter = 0 }: Question) => {
  switch (ask) {
    case 'memory':
      return process.send?.({ answer: memory() })
    case 'left':
      return process.send?.({ answer: await storage.left() })
    case 'fill':
      return process.send?.({ answer: await storage.fill(parameter) })
    case 'stop':
      server.close()
      server.closeAllConnections()
      await storage.close()
      process.disconnect()
  }
})

function memory() {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}
