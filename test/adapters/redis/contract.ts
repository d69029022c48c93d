import { expect } from 'chai'
import {
  type AdapterContractOptions,
  adapterContract,
} from '../../../packages/testing/src/adapters/index.ts'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { freePort, REDIS_URL } from '../servers.ts'
import type { OpenRedis } from './clients.ts'

/** The contract suite over one kind of client, and its behaviour when no server listens. */
export function redisContract(
  open: OpenRedis,
  keyPrefix: string,
  hooks: Pick<AdapterContractOptions, 'advance'> = {},
): void {
  let connection: Awaited<ReturnType<OpenRedis>>
  before(async () => {
    connection = await open(REDIS_URL)
  })
  after(() => connection.close())

  adapterContract({
    describe,
    it,
    create: () => createRedisAdapter({ client: connection.client, keyPrefix }),
    ...hooks,
    async createBroken() {
      const closed = await open(REDIS_URL)
      closed.close()
      return createRedisAdapter({ client: closed.client, keyPrefix })
    },
  })

  it('rejects every method when nothing listens', async () => {
    const { client, close } = await open(`redis://127.0.0.1:${await freePort()}`)
    const adapter = createRedisAdapter({ client, keyPrefix })('SubjectToken')
    const outcomes = await Promise.allSettled([
      adapter.upsert('a', {}, 60),
      adapter.find('a'),
      adapter.consumeOnce('a'),
      adapter.destroy('a'),
      adapter.revokeByGrantId('g'),
    ])
    close()
    expect(outcomes.map(({ status }) => status)).to.deep.equal(Array(5).fill('rejected'))
  })
}
