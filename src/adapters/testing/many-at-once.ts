import assert from 'node:assert/strict'
import type { ContractCase } from './contract-case.ts'
import { destroyAll, subjectTokens } from './lifecycle.ts'
import { unique } from './unique.ts'

const RECORDS = 100

const written: ContractCase = {
  title: `stores ${RECORDS} records that are written at once, and finds each when all are looked up at once`,
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    const ids = Array.from({ length: RECORDS }, () => unique())
    await Promise.all(ids.map((id) => adapter.upsert(id, { jti: id }, 60)))
    const missing = ids.map(() => unique())
    const found = await Promise.all([...ids, ...missing].map((id) => adapter.find(id)))
    assert.deepEqual(found, [...ids.map((jti) => ({ jti })), ...missing.map(() => undefined)])

    const [same = ''] = ids
    const [one, other] = await Promise.all([adapter.find(same), adapter.find(same)])
    Object.assign(one ?? {}, { changed: true })
    assert.deepEqual(other, { jti: same }, 'a payload that two callers share')
    await Promise.all(ids.map((id) => adapter.destroy(id)))
  },
}

const models: ContractCase = {
  title: 'tells models apart where records of one id are looked up at once',
  about: 'Session',
  async run({ factory, models }) {
    const id = unique()
    const [absent, ...stored] = models.map(({ model }) => model)
    for (const model of stored) await factory(model).upsert(id, { kind: model }, 60)
    const found = await Promise.all(models.map(({ model }) => factory(model).find(id)))
    assert.deepEqual(found, [undefined, ...stored.map((kind) => ({ kind }))], `no ${absent}`)
    await Promise.all(stored.map((model) => factory(model).destroy(id)))
  },
}

const notes: ContractCase = {
  title: 'keeps of each record the note of its winner where several are consumed at once',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const ids = Array.from({ length: 5 }, () => unique())
    for (const id of ids) await adapter.upsert(id, { jti: id }, 60)
    const callers = Array.from({ length: RECORDS }, (_, caller) => ({
      caller,
      id: ids[caller % ids.length] ?? '',
    }))
    const won = await Promise.all(
      callers.map(({ id, caller }) => adapter.consumeOnce(id, { actor: `a${caller}`, caller })),
    )
    const winners = callers.filter((_, at) => won[at])
    assert.deepEqual(winners.map(({ id }) => id).sort(), [...ids].sort(), 'one for each')
    for (const { id, caller } of winners) {
      assert.deepEqual((await adapter.find(id))?.note, { actor: `a${caller}`, caller })
    }
    await destroyAll(adapter, ids)
  },
}

const decided: ContractCase = {
  title: 'consumes at once what is live, and nothing that was consumed, has ended or has expired',
  lifecycle: true,
  async run({ factory, elapse }) {
    const adapter = subjectTokens(factory)
    const ids = Array.from({ length: 5 }, () => unique())
    const [live = '', consumed = '', ended = '', expired = '', missing = ''] = ids
    for (const id of [live, consumed, ended]) await adapter.upsert(id, { jti: id }, 60)
    await adapter.upsert(expired, { jti: expired }, 1)
    assert.equal(await adapter.consumeOnce(consumed, { actor: 'first' }), true)
    assert.equal(await adapter.endOnce(ended, {}), true)
    await elapse(1)
    const won = await Promise.all(ids.map((id) => adapter.consumeOnce(id, { actor: 'late' })))
    assert.deepEqual(won, [true, false, false, false, false])
    assert.deepEqual((await adapter.find(consumed))?.note, { actor: 'first' })
    assert.equal((await adapter.find(ended))?.note, undefined)
    for (const id of [expired, missing]) assert.equal(await adapter.find(id), undefined)
    await destroyAll(adapter, [live, consumed, ended])
  },
}

/** Calls that an adapter may put into one step: each gets its own result. */
export const manyAtOnceCases: readonly ContractCase[] = [written, models, notes, decided]
