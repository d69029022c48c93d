import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  ENDED,
  expectVerdict,
  verdict,
} from '../../packages/resource-server/test/status/status-provider.ts'
import { expectActive } from '../impersonations/recorded-endings.ts'
import { type OpenStorage, openStorage, type StorageSpec } from '../proofs/storage.ts'
import { onStores } from '../proofs/stores.ts'
import { signingKey } from '../support/deployment.ts'
import { renewed } from '../support/shared.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { startRestartedProvider } from './restarted-provider.ts'

/** The longest time that an API may not know, in seconds, while the list can be had. */
const PROMISE = 8
/** The time for which an API goes on with the copy of a list, in seconds, by clocks that agree. */
const COPY_LIFE = 30

/** The commands of docs/production.md for a restored storage. */
interface PageOfRestore {
  readonly sql: string
  /** The pattern of the keys that are removed from Redis. */
  readonly pattern: string
}

/** Restores a storage that was backed up, runs the commands, and resolves where it is now. */
type Restore = (page: PageOfRestore) => Promise<StorageSpec>

const BACK_UPS: Record<'sqlite' | 'pg' | 'ioredis', (spec: StorageSpec) => Promise<Restore>> = {
  async sqlite(spec) {
    const copy = `${spec.location}.copy`
    const execute = (file: string, sql: string) => {
      using database = new DatabaseSync(file)
      database.exec(sql)
    }
    execute(spec.location, `VACUUM INTO '${copy}'`)
    return async ({ sql }) => {
      execute(copy, sql)
      return { ...spec, location: copy }
    }
  },

  async pg(spec) {
    const pool = new pg.Pool({ connectionString: spec.location, max: 1, idleTimeoutMillis: 0 })
    const table = spec.namespace
    await pool.query(`CREATE TABLE ${table}_copy AS TABLE ${table}`)
    return async ({ sql }) => {
      await pool.query(`TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM ${table}_copy`)
      await pool.query(`DROP TABLE ${table}_copy`)
      await pool.query(sql.replaceAll('oidc_records', table))
      await pool.end()
      return spec
    }
  },

  async ioredis(spec) {
    const client = new Redis(spec.location)
    const kept = new Map<string, { value: Buffer; ttlMs: number }>()
    for (const key of await client.keys(`${spec.namespace}*`)) {
      const [value, ttlMs] = await Promise.all([client.dumpBuffer(key), client.pttl(key)])
      kept.set(key, { value, ttlMs: Math.max(ttlMs, 0) })
    }
    const unlink = async (pattern: string) => {
      const keys = await client.keys(pattern)
      if (keys.length > 0) await client.unlink(keys)
    }
    return async ({ pattern }) => {
      await unlink(`${spec.namespace}*`)
      for (const [key, { value, ttlMs }] of kept) await client.restore(key, ttlMs, value)
      await unlink(pattern.replace('oidc:', spec.namespace))
      client.disconnect()
      return spec
    }
  },
}

async function pageOfRestore(): Promise<PageOfRestore> {
  const page = await readFile(new URL('../../docs/production.md', import.meta.url), 'utf8')
  const [, sql] = /^## Back-up and restore$.*?^```sql\n(.*?)^```$/ms.exec(page) ?? []
  const [, pattern] = /^redis-cli --scan --pattern '(oidc:[^']+)'/m.exec(page) ?? []
  if (!sql || !pattern) throw new Error('docs/production.md: not found under Back-up and restore')
  return { sql, pattern }
}

describe('docs/production.md: a restored backup', () => {
  onStores(['sqlite', 'pg', 'ioredis'], (store) => {
    const keys = [signingKey]
    const backUp = BACK_UPS[store.driver as keyof typeof BACK_UPS]
    let storage: OpenStorage

    const clock = renewed(stoppedClock)
    const provider = renewed(startRestartedProvider)
    beforeEach(async () => {
      storage = await openStorage(store.spec())
      provider.serve({ adapter: storage.adapter, keys })
    })
    afterEach(() => storage.close())

    /** A storage that is backed up, and what happens after that. */
    async function makeHistory() {
      const api = provider.newApi()
      const endedSince = await provider.run()
      const opaque = await provider.run(`${provider.base}/opaque`)
      const redeemedSince = await provider.issue()
      const restore = await backUp(store.spec())
      const begunSince = await provider.run()
      const redeemed = await provider.redeem(redeemedSince)
      await provider.provider.impersonation.end(endedSince.id)
      await provider.provider.impersonation.end(opaque.id)
      clock.pass(PROMISE)
      await expectVerdict(api, endedSince.token, ENDED)
      await expectVerdict(api, begunSince.token, 'alice')
      await expectActive(provider, opaque.token, false)
      const tokens = [endedSince.token, begunSince.token, redeemed.body.access_token]
      return { api, opaque, redeemedSince, tokens, restore }
    }

    it('after what the page says: every API refuses what was before, single use holds, and what is new works', async () => {
      const history = await makeHistory()
      const restored = await history.restore(await pageOfRestore())
      await storage.close()
      storage = await openStorage(restored)
      provider.serve({ adapter: storage.adapter, keys })
      const fresh = provider.newApi()
      for (const token of history.tokens) await expectVerdict(fresh, token, '503')
      clock.pass(COPY_LIFE)
      for (const token of history.tokens) {
        expect(await verdict(history.api, token)).to.be.oneOf(['503', ENDED])
      }
      await provider.expectWorthless(history.redeemedSince)
      await expectActive(provider, history.opaque.token, false)

      const { id, token } = await provider.run()
      for (const api of [fresh, history.api]) await expectVerdict(api, token, 'alice')
      await provider.provider.impersonation.end(id)
      clock.pass(PROMISE)
      for (const api of [fresh, history.api]) await expectVerdict(api, token, ENDED)
    })
  })
})
