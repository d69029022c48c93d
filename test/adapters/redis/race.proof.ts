import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { consumeAndEnd, type Won } from '../consume-and-end.ts'
import { REDIS_URL, suiteOn } from '../servers.ts'

const suite = await suiteOn('Redis')

const ROUNDS = 1000
const AT_ONCE = 10

suite('two processes that consume and end the same records', () => {
  it(`I11: each of ${ROUNDS} ends once, and is consumed before that or never`, async () => {
    const keyPrefix = `test:${randomUUID()}:`
    const client = new Redis(REDIS_URL)
    const adapter = createRedisAdapter({ client, keyPrefix })('SubjectToken')
    const child = fork(join(import.meta.dirname, 'process.ts'), [REDIS_URL, keyPrefix], {
      execArgv: ['--no-warnings'],
    })
    await once(child, 'message')

    let [consumptions, ends] = [0, 0]
    const byActor = { child: 0, parent: 0 }
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const ids = Array.from({ length: AT_ONCE }, (_, i) => `race-${round + i}`)
      const iat = Math.floor(Date.now() / 1000)
      const stored = { accountId: 'alice', iat, statusList: 'list' }
      for (const [i, id] of ids.entries()) {
        await adapter.upsert(id, { jti: id, ...stored, statusIndex: round + i }, 600)
      }
      const answer = once(child, 'message')
      child.send(ids)
      const ours = await consumeAndEnd(adapter, ids, 'parent')
      const theirs: Won = (await answer)[0]
      const consumed = [...ours.consumed, ...theirs.consumed]
      expect([...ours.ended, ...theirs.ended].sort()).to.deep.equal([...ids].sort())
      expect(new Set(consumed).size, 'consumed twice').to.equal(consumed.length)
      for (const id of ids) {
        const found = await adapter.find(id)
        expect(found?.consumed !== undefined, id).to.equal(consumed.includes(id))
        const by = ours.consumed.includes(id) ? 'parent' : 'child'
        expect(found?.note).to.deep.equal(consumed.includes(id) ? { actor: by } : undefined)
        expect(found?.end).to.deep.equal({ by: ours.ended.includes(id) ? 'parent' : 'child' })
        if (consumed.includes(id)) byActor[by] += 1
      }
      consumptions += consumed.length
      ends += ids.length
    }
    expect(ends).to.equal(ROUNDS)
    expect(consumptions, 'both orders came up').to.be.within(1, ROUNDS - 1)
    expect(new Set(await adapter.endedIndices('list')).size).to.equal(ROUNDS)
    for (const actor of ['child', 'parent'] as const) {
      const listed = await adapter.list({ actor }, 100)
      expect(listed.length).to.equal(Math.min(100, byActor[actor]))
    }

    child.send([])
    await once(child, 'exit')
    await client.del(await client.keys(`${keyPrefix}*`))
    client.disconnect()
  })
})
