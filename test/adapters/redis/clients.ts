import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { RedisClient } from '../../../src/adapters/redis/index.ts'

/** A client that fails when no server listens, and a function that closes it. */
export type OpenRedis = (url: string) => Promise<{ client: RedisClient; close(): void }>

export const openIoredis: OpenRedis = async (url) => {
  const client = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => {})
  return { client, close: () => client.disconnect() }
}

export const openNodeRedis: OpenRedis = async (url) => {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect().catch(() => {})
  return { client, close: () => client.isOpen && client.destroy() }
}
