import {
  type AdapterContractOptions,
  adapterContract,
} from '../../../packages/testing/src/adapters/index.ts'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { REDIS_URL } from '../servers.ts'
import type { OpenRedis } from './clients.ts'

/** The contract suite over one kind of client. */
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
}
