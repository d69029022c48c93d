// The provider under measurement, in its own process. The argument is the storage.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import { errors } from 'oidc-provider'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { STORAGES } from './storages.ts'

const [storageName = ''] = process.argv.slice(2)
// Ctrl-C reaches this process, too. It ends with its parent, and removes its store before.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})

const storage = await STORAGES[storageName]?.()
if (!storage) throw new Error(`unknown storage ${storageName}`)
process.once('disconnect', () => storage.remove().finally(() => process.exit()))

const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const provider = new Provider(`${base}/oidc`, {
  adapter: storage.adapter,
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret',
      grant_types: ['client_credentials', TOKEN_EXCHANGE_GRANT_TYPE],
      redirect_uris: [],
      response_types: [],
    },
  ],
  ttl: { AccessToken: () => 600, ClientCredentials: () => 600, SubjectToken: 3600 },
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
          jwt: { sign: { alg: 'ES256' } },
        }
      },
    },
    impersonation: {
      enabled: true,
      managementApi: { resource: `${base}/api`, tokenTtl: 86400, clients: ['bench'] },
      accessToken: { maxTtl: 3600 },
    },
  },
})
const app = new Koa()
app.use(provider.impersonation.routes())
app.use(mount('/oidc', provider))
server.on('request', app.callback())
process.send?.(base)

process.on('message', (question) => {
  // The young generation is what a slice leaves to the next. After a full collection the first
  // requests cost twice as much, and short slices measure little else.
  if (question === 'before') globalThis.gc?.({ type: 'minor' })
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
