// A process that uses the SQLite adapter: started by sqlite-processes.proof.ts, told what to do by messages.
import { createSqliteAdapter } from '../../../src/adapters/sqlite/index.ts'

const [file = '', prefix = '', count = '0'] = process.argv.slice(2)
const factory = createSqliteAdapter({ file })
const adapter = factory('SubjectToken')
const ids = Array.from({ length: Number(count) }, (_, i) => `${prefix}${i}`)

const work: Record<string, () => Promise<string[]>> = {
  async write() {
    for (const id of ids) await adapter.upsert(`${process.pid}-${id}`, {}, 60)
    return ids.map((id) => `${process.pid}-${id}`)
  },
  /** In groups of ten; each group is reported once it has resolved, until the process is killed. */
  async 'consume until killed'() {
    for (let at = 0; at < ids.length; at += 10) {
      const group = ids.slice(at, at + 10)
      await Promise.all(group.map((id) => adapter.consumeOnce(id, { by: process.pid })))
      process.send?.(at)
    }
    return []
  },
}

process.on('message', async (name: string) => {
  const result = await work[name]?.()
  process.send?.(result, () => {
    factory.close()
    process.disconnect()
  })
})
process.send?.('ready')
