// A recorder of your own, by a stream of Redis: it acknowledges what it has stored, and reads the rest
// again. Give each recorder a NAME that it keeps. If a recorder never comes back, another takes its uses
// over with XAUTOCLAIM.
import { DatabaseSync } from 'node:sqlite'
import { createClient } from 'redis'
import { useStore } from './use-store.ts'

const { REDIS_URL = 'redis://localhost:6379', NAME = 'recorder-1' } = process.env
const STREAM_NAME = 'impersonation-uses'
const GROUP_NAME = 'recorders'

const keep = useStore(new DatabaseSync(process.env.DATABASE ?? 'uses.db'))
const redis = createClient({ url: REDIS_URL })
redis.on('error', (error) => console.error(error))
await redis.connect()
await redis.xGroupCreate(STREAM_NAME, GROUP_NAME, '0', { MKSTREAM: true }).catch((error: Error) => {
  if (!error.message.startsWith('BUSYGROUP')) throw error
})

/** What stands in the stream after `from`: `0` is what this recorder has read already. */
async function next(from: string): Promise<{ id: string; use: string }[]> {
  const stream = { key: STREAM_NAME, id: from }
  const answer = await redis.xReadGroup(GROUP_NAME, NAME, stream, { COUNT: 100, BLOCK: 1000 })
  const messages: { id: string; message: Record<string, string> }[] = answer?.[0]?.messages ?? []
  return messages.map(({ id, message }) => ({ id, use: message.use ?? '' }))
}

let isEnding = false
process.once('SIGTERM', () => {
  isEnding = true
})
for (let from = '0'; !isEnding; ) {
  const read = await next(from)
  if (read.length === 0) {
    from = '>'
    continue
  }
  keep(
    read.map(({ use }) => JSON.parse(use)),
    'orders-api',
  )
  const ids = read.map(({ id }) => id)
  await redis.multi().xAck(STREAM_NAME, GROUP_NAME, ids).xDel(STREAM_NAME, ids).exec()
}
await redis.close()
