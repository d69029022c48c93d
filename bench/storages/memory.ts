import { createReadStream } from 'node:fs'
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { fillThrough } from '../fill.ts'
import type { Storage, StorageOptions } from './storage.ts'

export async function openMemory({ name }: Required<StorageOptions>): Promise<Storage> {
  let ahead = 0
  const adapter = createMemoryAdapter({ now: () => Date.now() + ahead })
  const folder = join(tmpdir(), `impersonation-bench-${name}`)
  return {
    adapter,
    fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
    use: async () => ({ own: 'in process', common: 'in process' }),
    async left() {
      const removed = await adapter.deleteExpired()
      // Move the clock one day ahead. Everything has expired then, so this removes all that is
      // left.
      ahead = 24 * 3600 * 1000
      const live = await adapter.deleteExpired()
      // What never expires would be left now. A store in the heap cannot be asked for it, so the
      // heap itself tells.
      return { removed, expired: 0, live }
    },
    async audit() {
      // A log that is only appended to does not belong into the heap.
      await mkdir(folder, { recursive: true })
      const file = join(folder, 'audit.log')
      await writeFile(file, '')
      return {
        append: (entries) =>
          appendFile(file, entries.map(({ name, event }) => `${name}\t${event}\n`).join('')),
        async count() {
          const counts: Record<string, number> = {}
          for await (const line of createInterface({ input: createReadStream(file) })) {
            const [name = ''] = line.split('\t', 1)
            counts[name] = (counts[name] ?? 0) + 1
          }
          return counts
        },
      }
    },
    empty: () => rm(folder, { recursive: true, force: true }),
    close: async () => {},
  }
}
