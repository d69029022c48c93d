import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClient } from 'redis'
import { createMemoryAudit } from '../../src/audit/memory.ts'
import { createRedisAudit } from '../../src/audit/redis.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { all, filters, idOf, randomBatches, START } from './random-audit.ts'

const URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const NOW = START + 300_000

describe('the audit in Redis', () => {
  const client = createClient({ url: URL, disableOfflineQueue: true })
  const prefix = `audit-test-${randomUUID()}`
  let count = 0

  function newStore(): AuditStore {
    count += 1
    return createRedisAudit({ client, prefix: `${prefix}-${count}` })
  }

  before(async () => {
    await client.connect()
  })
  after(async () => {
    for await (const keys of client.scanIterator({ MATCH: `{${prefix}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    client.destroy()
  })

  describe('is the same as the audit in memory', () => {
    const [redis, memory] = [newStore(), createMemoryAudit()]

    before(async () => {
      for (const batch of randomBatches(1, 300)) {
        await memory.append(batch)
        await redis.append(batch)
      }
    })

    async function sameRows() {
      for (const filter of filters()) {
        for (const limit of [3, 1000]) {
          const told = `${JSON.stringify(filter)}, ${limit} a page`
          const page = { limit, now: NOW }
          expect(await all(redis, filter, page), told).to.deep.equal(
            await all(memory, filter, page),
          )
        }
      }
    }

    async function sameEntries() {
      const page = { limit: 100_000 }
      expect(await redis.entries(page)).to.deep.equal(await memory.entries(page))
      for (let number = 0; number < 41; number += 1) {
        const id = idOf(number)
        expect(await redis.timeline(id, page)).to.deep.equal(await memory.timeline(id, page))
        expect(await redis.row(id)).to.deep.equal(await memory.row(id))
      }
    }

    it('finds the same rows for every filter, in pages of any size', sameRows)

    it('has the same entries, timelines and rows', sameEntries)

    it('counts the same newer rows', async () => {
      const { rows } = await memory.find({}, { limit: 100, now: NOW })
      for (const filter of filters()) {
        for (const row of [rows[0], rows[20], rows.at(-1)]) {
          const than = row ?? { at: START, id: 'x' }
          const expected = await memory.countNewer(filter, than, NOW)
          expect(await redis.countNewer(filter, than, NOW)).to.equal(expected)
        }
      }
    })

    it('removes the same', async () => {
      expect(await redis.heads()).to.have.deep.members(await memory.heads())
      for (const before of [START + 100_000, START + 200_000, NOW]) {
        for (const limit of [2, 1000]) {
          const expected = await memory.remove(before, limit)
          expect(await redis.remove(before, limit)).to.equal(expected)
          expect(await redis.removed()).to.have.deep.members(await memory.removed())
        }
      }
      await sameRows()
      expect(await redis.heads()).to.have.deep.members(await memory.heads())
    })
  })
})
