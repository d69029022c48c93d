import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type ContractCase, cases } from './contract-case.ts'
import { destroyAll } from './impersonation-case.ts'
import { type ModelSample, models } from './models.ts'
import { unique } from './unique.ts'

const storeFindAndDestroy = ({ model, payload, expiresIn }: ModelSample) =>
  cases({ about: model }, (it) => {
    it(`stores, finds, replaces, consumes and destroys: ${model}`, async (adapter, trial) => {
      const [id, other] = [trial.newId(), trial.newId()]
      assert.equal(await adapter.find(id), undefined, 'a record that never was')

      const stored = payload(id)
      const otherStored = payload(other)
      await adapter.upsert(id, stored, expiresIn)
      await adapter.upsert(other, otherStored, expiresIn)
      assert.deepEqual(await adapter.find(id), stored)
      assert.deepEqual(await trial.factory(model).find(id), stored, 'from a second adapter')

      const replacement = { ...payload(id), replaced: true }
      await adapter.upsert(id, replacement, expiresIn)
      assert.deepEqual(await adapter.find(id), replacement, 'nothing of the old record stays')

      await adapter.consume(id)
      const { consumed, ...rest } = (await adapter.find(id)) ?? {}
      assert.deepEqual(rest, replacement, 'consuming changes nothing else')
      assertSeconds(consumed)

      await adapter.destroy(id)
      assert.equal(await adapter.find(id), undefined, 'a destroyed record')
      await adapter.destroy(id)
      assert.deepEqual(await adapter.find(other), otherStored, 'other records stay as they were')
    })
  })

/** Fails unless `consumed` is a time in seconds since the epoch, somewhere in this age. */
export function assertSeconds(consumed: unknown): void {
  assert.ok(
    typeof consumed === 'number' && consumed > 1e9 && consumed < 1e11,
    `consumed is a number of seconds since the epoch, not the ${typeof consumed} ${inspect(consumed)}`,
  )
}

const acrossModels = cases({ about: 'Session' }, (it) => {
  it('never resolves a record under another model, nor changes it through one', async (_, trial) => {
    const id = unique()
    const everything = { uid: unique('uid'), userCode: unique('CODE'), grantId: unique('grant') }
    for (const { model, expiresIn } of trial.models) {
      const stored = { ...everything, jti: id, kind: model }
      await trial.factory(model).upsert(id, stored, expiresIn)
      for (const { model: other } of trial.models) {
        if (other === model) continue
        const adapter = trial.factory(other)
        assert.equal(await adapter.find(id), undefined, `${model} found as ${other}`)
        assert.equal(await adapter.findByUid(everything.uid), undefined)
        assert.equal(await adapter.findByUserCode(everything.userCode), undefined)
        assert.equal(await adapter.consumeOnce(id), false, `${model} consumed as ${other}`)
        await adapter.consume(id)
        await adapter.revokeByGrantId(everything.grantId)
        await adapter.destroy(id)
      }
      assert.deepEqual(await trial.factory(model).find(id), stored)
      await trial.factory(model).destroy(id)
    }
  })

  it('finds nothing, and does not fail, for any string a client may send', async (_, trial) => {
    for (const model of ['SubjectToken', 'Session', 'DeviceCode']) {
      const adapter = trial.factory(model)
      for (const id of strangers) {
        const shown = JSON.stringify(id.slice(0, 40))
        assert.equal(await adapter.find(id), undefined, `find(${shown})`)
        assert.equal(await adapter.findByUid(id), undefined, `findByUid(${shown})`)
        assert.equal(await adapter.findByUserCode(id), undefined, `findByUserCode(${shown})`)
        assert.equal(await adapter.consumeOnce(id), false, `consumeOnce(${shown})`)
      }
    }
  })
})

const copies = cases({ about: 'Interaction' }, (it) => {
  it('is not changed by a caller who changes a payload afterwards', async (adapter) => {
    const id = unique()
    const params: Record<string, unknown> = { scope: 'openid', list: [1, 2] }
    await adapter.upsert(id, { params }, 60)
    params.scope = 'changed'

    const found = await adapter.find(id)
    assert.deepEqual(found, { params: { scope: 'openid', list: [1, 2] } })
    Object.assign(found?.params ?? {}, { scope: 'changed', list: [] })
    assert.deepEqual(await adapter.find(id), { params: { scope: 'openid', list: [1, 2] } })
  })
})

const ofAnyModel = cases({}, (it) => {
  it('tells ids apart by case', async (adapter) => {
    const id = unique('Aa')
    await adapter.upsert(id, { jti: id }, 60)
    const other = id.toLowerCase()
    assert.equal(await adapter.find(other), undefined)
    assert.equal(await adapter.consumeOnce(other), false)
    await adapter.upsert(other, { jti: other }, 60)
    assert.equal(await adapter.consumeOnce(other), true)
    assert.deepEqual(await adapter.find(id), { jti: id })
    await destroyAll(adapter, [id, other])
  })
})

const distinctIds = cases({ about: 'AccessToken' }, (it) => {
  it('tells ids apart by trailing blanks and Unicode form', async (adapter) => {
    const base = unique('Aé')
    const ids = [
      base,
      base.toLowerCase(),
      `${base} `,
      ` ${base}`,
      base.normalize('NFD'),
      `${base}_`,
    ]
    for (const id of ids) await adapter.upsert(id, { jti: id }, 60)
    for (const id of ids) assert.deepEqual(await adapter.find(id), { jti: id })
    await adapter.destroy(base)
    for (const id of ids.slice(1)) assert.deepEqual(await adapter.find(id), { jti: id })
  })
})

/** Strings that a client may send instead of an id, a uid or a user code. */
const strangers = [
  '',
  '__proto__',
  'constructor',
  '*',
  '%',
  '_',
  '{}',
  '{tag}',
  'uid:x',
  'grant:x',
  "' OR 1=1 --",
  '\\',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff\ud800y',
  'ключ🔑',
  '$ne',
  'x'.repeat(20_000),
]

/** Every method, for every kind of model. */
export const storingCases: readonly ContractCase[] = [
  ...models.flatMap(storeFindAndDestroy),
  ...acrossModels,
  ...copies,
  ...ofAnyModel,
  ...distinctIds,
]
