import { createClient } from 'redis'
import { createRedisAdapter } from '../../src/adapters/redis.ts'
import type { Storage } from '../storage.ts'
import { reportOutages } from './outages.ts'
import { redisAudit } from './redis-audit.ts'

/** How long a connection and a command may take, in milliseconds. */
const CONNECT_TIMEOUT = 3000
const COMMAND_TIMEOUT = 2000

/** Opens a Redis server. After the first connection, the client reconnects when it is lost. */
export async function openRedis(url: string): Promise<Storage> {
  let reached = false
  const client = createClient({
    url,
    // A request gets an error now, instead of a success at an unknown later time.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      reconnectStrategy: (retries) => reached && Math.min(50 * 2 ** retries, 2000),
    },
  })
  const { lost, back } = reportOutages('Redis')
  client.on('error', (error: Error) => reached && lost(error))
  client.on('ready', back)

  const adapter = createRedisAdapter({ client, commandTimeoutMs: COMMAND_TIMEOUT })
  try {
    await within(CONNECT_TIMEOUT, client.connect())
    await adapter.check()
  } catch (error) {
    client.destroy()
    throw error
  }
  reached = true
  return {
    adapter,
    audit: redisAudit(client, COMMAND_TIMEOUT),
    async close() {
      await within(COMMAND_TIMEOUT, client.close()).catch(() => client.destroy())
    },
  }
}

/** Rejects if the server accepts the connection but does not answer in time. */
function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it does not answer')), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
