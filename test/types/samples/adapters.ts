import type { Adapter, AdapterFactory as OidcAdapterFactory } from 'oidc-provider'
import { Provider, withSubjectTokens } from 'oidc-provider-impersonation'
import {
  type AdapterFactory,
  hasConsumeOnce,
  type SingleUseAdapter,
  type StorageError,
} from 'oidc-provider-impersonation/adapters/contract'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { createPostgresAdapter, type migrate } from 'oidc-provider-impersonation/adapters/postgres'
import { createRedisAdapter, type RedisClient } from 'oidc-provider-impersonation/adapters/redis'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { adapterContract, runAdapterContract } from 'oidc-provider-impersonation-testing/adapters'
import { Pool } from 'pg'
import { holds, type Same } from './expect.js'

const pool = new Pool()
const nodeRedis: RedisClient = { sendCommand: async (_args: string[]) => 'OK' }
const ioredis: RedisClient = { call: async (_command: string, ..._args: string[]) => 'OK' }

// The result of each function can be named, and oidc-provider takes it.
const factories: AdapterFactory[] = [
  createMemoryAdapter(),
  createSqliteAdapter({ file: 'data/oidc.db' }),
  createRedisAdapter({ client: nodeRedis }),
  createRedisAdapter({ client: ioredis, requirePersistence: true }),
  createPostgresAdapter({ pool, prepare: false }),
]
for (const adapter of factories) new Provider('https://id.example.com', { adapter })
holds<Same<ReturnType<AdapterFactory>, SingleUseAdapter>>()
holds<Same<ReturnType<ReturnType<typeof createMemoryAdapter>['deleteExpired']>, Promise<number>>>()
holds<Same<ReturnType<typeof migrate>, Promise<void>>>()

// @ts-expect-error a client has to be given
createRedisAdapter({})
// @ts-expect-error not a client of pg
createPostgresAdapter({ pool: 'postgres://localhost/test' })
// @ts-expect-error a file has to be named
createSqliteAdapter({})

declare const Plain: new (model: string) => Adapter
declare const SingleUse: new (model: string) => SingleUseAdapter
const single: AdapterFactory = (model) => new SingleUse(model)
// @ts-expect-error without consumeOnce a token could be redeemed twice
const twice: AdapterFactory = (model) => new Plain(model)

const beside: OidcAdapterFactory = withSubjectTokens(Plain, single)
withSubjectTokens((model) => new Plain(model), SingleUse)
// @ts-expect-error subject tokens need consumeOnce
withSubjectTokens(Plain, Plain)

declare const some: Adapter
if (hasConsumeOnce(some)) holds<Same<ReturnType<typeof some.consumeOnce>, Promise<boolean>>>()
declare const failure: StorageError
holds<Same<typeof failure.message, string>>()

const test = (_title: string, _run: () => Promise<void>) => {}
adapterContract({ describe: (_title, define) => define(), it: test, create: () => single })
const report = await runAdapterContract({ create: async () => single, print: () => {} })
holds<Same<typeof report.ok, boolean>>()
// @ts-expect-error the suite is for adapters with consumeOnce
await runAdapterContract({ create: () => (model: string) => new Plain(model) })

export { beside, twice }
