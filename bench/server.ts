// The provider under measurement, in its own process. Argument: ServerOptions in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import mount from 'koa-mount'
import { type AsymmetricSigningAlgorithm, errors } from 'oidc-provider'
import { createAudit } from '../packages/console/src/ledger/recording/audit.ts'
import { recordEvents } from '../packages/console/src/ledger/recording/provider-events.ts'
import { createPostgresAudit } from '../packages/console/src/ledger/stores/postgres/index.ts'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../src/index.ts'
import { AuditQueue } from './audit-queue.ts'
import { leaveEndToParent } from './interrupt.ts'
import { newKey } from './key.ts'
import type { Question, ServerOptions } from './process.ts'
import { openStorage } from './storages/open.ts'

const options: ServerOptions = JSON.parse(process.argv[2] ?? '{}')
const { alg, ttl, shared } = options
leaveEndToParent()
const storage = await openStorage(options.storage, {
  database: options.database,
  name: shared?.store,
  poolSize: options.poolSize,
}).catch((error) => {
  // Of an address with several names, each failure has the text, and the whole has none.
  const reason = String(error.message || error.code || error)
  process.send?.({ failure: `${options.storage} cannot be used: ${reason}` })
  return process.exit(1)
})
const key = shared?.key ?? (await newKey(alg))
const server = createServer()
server.listen({
  host: '127.0.0.1',
  port: shared?.port ?? 0,
  reusePort: shared?.port !== undefined,
})
await once(server, 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const publicBase = shared?.base ?? base
const signingAlgorithm = alg as AsymmetricSigningAlgorithm

const provider = new Provider(`${publicBase}/oidc`, {
  adapter: storage.adapter,
  jwks: { keys: [key] },
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
  ttl: { AccessToken: () => 600, ClientCredentials: () => 600, SubjectToken: ttl },
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
      managementApi: {
        resource: `${publicBase}/api`,
        tokenTtl: 86400,
        // Versions of this package that cannot end are measured as well.
        clients: options.ends ? { issue: ['bench'], read: ['bench'], end: ['bench'] } : ['bench'],
      },
      accessToken: { maxTtl: options.accessTokenTtl },
      ...(options.hook ? { getCustomJwtClaims: () => ({ plan: 'bench' }) } : {}),
    },
  },
})
const app = new Koa()
app.use(provider.impersonation.routes())
app.use(mount('/oidc', provider))
server.on('request', app.callback())
const audit = options.audit ? new AuditQueue(provider, await storage.audit()) : undefined
if (options.consoleAudit) {
  const pool = await storage.auditPool?.()
  if (!pool) throw new Error(`${options.storage}: the audit of the console is not measured there`)
  const consoleAudit = createAudit(createPostgresAudit({ pool }), {})
  await consoleAudit.store.open()
  recordEvents(provider, consoleAudit, 5)
}
process.send?.({ base })

process.on('message', ({ ask, parameter = 0 }: Question) => {
  if (ask === 'stop') return stop()
  answer(ask, parameter).then(
    (answer) => process.send?.({ answer }),
    (error) => process.send?.({ failure: String(error) }),
  )
})

async function answer(ask: Exclude<Question['ask'], 'stop'>, parameter: number): Promise<unknown> {
  switch (ask) {
    case 'cpu':
      return cpu()
    case 'gc':
      // The young generation is what a slice leaves to the next. After a full collection the first
      // requests cost twice as much, and short slices measure little else.
      return globalThis.gc?.({ type: 'minor' })
    case 'use':
      return storage.use()
    case 'memory':
      return memory()
    case 'audited':
      return audit?.finish()
    case 'left':
      return storage.left()
    case 'fill':
      return storage.fill(parameter, provider.issuer)
  }
}

async function stop(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await audit?.finish().catch(() => {})
  if (!shared) await storage.empty()
  await storage.close()
  process.disconnect()
}

function cpu() {
  const { user, system } = process.cpuUsage()
  return user + system
}

function memory() {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}
