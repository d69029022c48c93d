import { expect } from 'chai'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { rejection } from './servers.ts'

const client = async () => null
const pool = { query: async () => ({ rows: [], rowCount: 0 }) }

/** Options that a maker refuses, and the path that the error begins with. */
const wrong: readonly [path: string, make: (options: never) => unknown, options: object][] = [
  ['createRedisAdapter.client', createRedisAdapter, {}],
  ['createRedisAdapter.keyprefix', createRedisAdapter, { client, keyprefix: 'a:' }],
  ['createRedisAdapter.commandTimeoutMs', createRedisAdapter, { client, commandTimeoutMs: 0 }],
  ['createRedisAdapter.requirePersistence', createRedisAdapter, { client, requirePersistence: 1 }],
  ['createSqliteAdapter.file', createSqliteAdapter, {}],
  ['createSqliteAdapter.sync', createSqliteAdapter, { file: 'a', sync: 'FULL' }],
  ['createSqliteAdapter.synchronous', createSqliteAdapter, { file: 'a', synchronous: 'OFF' }],
  ['createSqliteAdapter.busyTimeoutMs', createSqliteAdapter, { file: 'a', busyTimeoutMs: -1 }],
  ['createPostgresAdapter.pool', createPostgresAdapter, { table: 'records' }],
  ['createPostgresAdapter.grouped', createPostgresAdapter, { pool, grouped: false }],
]

describe('the options of the adapters', () => {
  for (const [path, make, options] of wrong) {
    it(`${path}: ${JSON.stringify(options)} is refused by its path`, () => {
      expect(() => make(options as never))
        .to.throw(TypeError)
        .with.property('message')
        .that.satisfies((message: string) => message.startsWith(`${path} `), path)
    })
  }

  it('of functions that are async are refused by a rejection', async () => {
    const table = await rejection(migrate(pool, { table: '1' }))
    expect(table)
      .to.be.instanceOf(TypeError)
      .and.match(/migrate\.table must be letters/)
  })
})
