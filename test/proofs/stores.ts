import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { migrate } from '../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, REDIS_URL, skipWithout } from '../adapters/servers.ts'
import { newFolder } from '../support/folder.ts'
import type { StorageSpec } from './storage.ts'

type Driver = StorageSpec['driver']

/** A storage for one `describe`, empty, with what it put on the server taken away at the end. */
export interface Store {
  readonly driver: Driver
  /** The server's URL; undefined for a file. */
  readonly url: string | undefined
  /** Known from `before` on. */
  spec(): StorageSpec
}

const SERVERS = {
  'node-redis': { name: 'Redis', url: REDIS_URL },
  ioredis: { name: 'Redis', url: REDIS_URL },
  pg: { name: 'PostgreSQL', url: POSTGRES_URL },
} as const

const TITLES: Record<Driver, string> = {
  sqlite: 'on SQLite',
  'node-redis': 'on Redis, node-redis',
  ioredis: 'on Redis, ioredis',
  pg: 'on PostgreSQL',
}

/**
 * One `describe` for each storage. Where a server is missing it is skipped, and in CI it fails.
 */
export function onStores(drivers: readonly Driver[], define: (store: Store) => void): void {
  for (const driver of drivers) {
    describe(TITLES[driver], () => {
      let spec: StorageSpec | undefined
      let drop = async () => {}
      const server = driver === 'sqlite' ? undefined : SERVERS[driver]

      before(async function () {
        if (server) await skipWithout(this, server.name)
        ;({ spec, drop } = await create(driver))
      })
      define({
        driver,
        url: server?.url,
        spec() {
          if (!spec) throw new Error('only from before() on')
          return spec
        },
      })
      // runs after the clean-up of the proofs: no process writes any more
      after(() => drop())
    })
  }
}

async function create(driver: Driver): Promise<{ spec: StorageSpec; drop: () => Promise<void> }> {
  const namespace = `proof_${randomBytes(6).toString('hex')}`
  if (driver === 'sqlite') {
    const location = join(newFolder(), 'oidc.db')
    return { spec: { driver, location, namespace }, drop: async () => {} }
  }
  const location = SERVERS[driver].url
  if (driver === 'pg') {
    const pool = new pg.Pool({ connectionString: location, max: 1 })
    await migrate(pool, { table: namespace })
    const drop = async () => {
      await pool.query(`DROP TABLE ${namespace}`)
      await pool.end()
    }
    return { spec: { driver, location, namespace }, drop }
  }
  const keyPrefix = `${namespace}:`
  const drop = async () => {
    const redis = new Redis(location)
    const scan = redis.scanStream({ match: `${keyPrefix}*`, count: 1000 })
    for await (const keys of scan) if (keys.length > 0) await redis.unlink(keys)
    redis.disconnect()
  }
  return { spec: { driver, location, namespace: keyPrefix }, drop }
}
