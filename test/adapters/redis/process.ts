// A process that consumes and ends: started by race.proof.ts, told which records by messages.
import { Redis } from 'ioredis'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { consumeAndEnd } from '../consume-and-end.ts'

const [url = '', keyPrefix = ''] = process.argv.slice(2)
const client = new Redis(url)
const adapter = createRedisAdapter({ client, keyPrefix })('SubjectToken')

process.on('message', async (ids: string[]) => {
  if (ids.length > 0) return process.send?.(await consumeAndEnd(adapter, ids, 'child'))
  client.disconnect()
  process.disconnect()
})
process.send?.('ready')
