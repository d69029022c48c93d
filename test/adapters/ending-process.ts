// A process that consumes or ends records: started by ending-processes.proof.ts.
import { Client } from 'pg'
import type { EndingAdapter } from '../../src/adapters/contract.ts'
import { createPostgresAdapter } from '../../src/adapters/postgres/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'

/** What a process did with one record, at what time of the machine's monotonic clock. */
export interface Attempt {
  readonly won: boolean
  readonly began: number
  readonly done: number
}

const EVERY_MS = 4
const [kind = '', location = '', schema = '', role = '', rounds = '0'] = process.argv.slice(2)

async function open(): Promise<[EndingAdapter, () => Promise<void>]> {
  if (kind === 'sqlite') {
    const factory = createSqliteAdapter({ file: location })
    return [factory('SubjectToken'), async () => factory.close()]
  }
  const client = new Client({ connectionString: location })
  await client.connect()
  return [createPostgresAdapter({ pool: client, schema })('SubjectToken'), async () => client.end()]
}

const now = () => Number(process.hrtime.bigint()) / 1e6
const [adapter, close] = await open()
await adapter.find('warm')

process.on('message', async (start: number) => {
  const attempts: Attempt[] = []
  for (let i = 0; i < Number(rounds); i += 1) {
    const at = start + i * EVERY_MS + Math.random() * 0.3
    while (now() < at) await new Promise((resolve) => setImmediate(resolve))
    const began = now()
    const turn =
      role === 'consume'
        ? [adapter.consumeOnce(`round-${i}`, { actor: 'olivia', round: i })]
        : [adapter.endOnce(`round-${i}`, { round: i })]
    // a second consumption of the same turn: where calls are grouped, every other is in a group
    if (role === 'consume' && i % 2) turn.push(adapter.consumeOnce('nothing'))
    const [won = false] = await Promise.all(turn)
    attempts.push({ won, began, done: now() })
  }
  process.send?.(attempts, async () => {
    await close()
    process.disconnect()
  })
})
process.send?.('ready')
