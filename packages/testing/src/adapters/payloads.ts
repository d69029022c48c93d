import assert from 'node:assert/strict'
import type { AdapterPayload } from 'oidc-provider'
import { type ContractCase, cases } from './contract-case.ts'
import { unique } from './unique.ts'

/** Makes the own key `__proto__`, as a request body with `{"__proto__": …}` does. */
function ownProto(value: unknown): object {
  return Object.defineProperty({}, '__proto__', {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

function nested(depth: number): object {
  let value: object = { leaf: true }
  for (let i = 0; i < depth; i += 1) value = i % 2 ? [value] : { inner: value }
  return value
}

/** Objects that some storage engines do not keep as they are. */
export const contexts: Readonly<Record<string, unknown>> = {
  'keys with dots and dollars': { 'a.b': 1, $set: { $ne: null }, 'a.$.b': 2, '.': 3, '': 4 },
  'an own __proto__': ownProto({ admin: true }),
  'constructor and prototype as keys': { constructor: { prototype: { x: 1 } }, toString: 'x' },
  'Unicode in keys and values': { 'ключ 🔑': '𝒳 مرحبا 你好 e\u0301 \u2028\u2029\ufeff' },
  'NUL and control characters': { 'a\u0000b': '\u0000', c: '\u0001\u001f\u007f\r\n\t"\\' },
  'lone surrogates': { value: '\ud800', other: 'x\udfffy' },
  'deep nesting': nested(200),
  'numbers at the edges': [0, -1, 1.5, 1e-7, 2 ** 53 - 1, -(2 ** 53), 1.7976931348623157e308],
  'empty things': { object: {}, array: [], string: '', null: null, false: false, zero: 0 },
  'text that looks like something else': ['null', '{"a":1}', '1', 'true', '$1', '?', ':id', '%s'],
  'dates stay text': '2026-01-01T00:00:00.000Z',
  'numbers as keys, in order': { b: 1, a: 2, 10: 3, 9: 4 },
}

const unusual = cases({ about: 'Interaction' }, (it) => {
  it('gives back unusual payloads exactly as they were', async (adapter, trial) => {
    for (const [what, context] of Object.entries(contexts)) {
      const id = await trial.store({ extra: { context } })
      assert.deepEqual(await adapter.find(id), { jti: id, extra: { context } }, what)
      assert.equal(await adapter.consumeOnce(id), true, what)
      assert.deepEqual((await adapter.find(id))?.extra, { context }, `${what}, once consumed`)
    }
  })
})

const subjectToken = cases({}, (it) => {
  it('gives back exactly what a subject token holds: text, up to 64 KiB', async (adapter, trial) => {
    const texts = Object.values(contexts).map((context) => JSON.stringify(context))
    for (const context of [...texts, JSON.stringify({ note: '€'.repeat(21_840) })]) {
      const members = { accountId: 'кот 🔑 ', context }
      const id = await trial.store(members)
      assert.deepEqual(await adapter.find(id), { jti: id, ...members })
      assert.equal(await adapter.consumeOnce(id), true)
      assert.equal((await adapter.find(id))?.context, context)
    }
  })
})

const topLevelProto = cases({ about: 'Client' }, (it) => {
  it('keeps an own __proto__ at the top of a payload and pollutes no prototype', async (adapter, trial) => {
    const id = trial.newId()
    const stored: AdapterPayload = Object.assign(ownProto({ polluted: true }), { client_id: id })
    await adapter.upsert(id, stored)
    const found = await adapter.find(id)
    assert.deepEqual(found, stored)
    assert.equal(Object.getPrototypeOf(found), Object.prototype)
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })
})

const large = cases({ about: 'Session' }, (it) => {
  it('stores 64 KiB, of one byte a character and of several', async (adapter, trial) => {
    for (const text of ['x'.repeat(65_536), '€'.repeat(21_845), '\u0000'.repeat(10_922)]) {
      const members = { uid: unique('uid'), state: { text } }
      const id = await trial.store(members)
      assert.deepEqual(await adapter.find(id), { jti: id, ...members })
      assert.deepEqual(await adapter.findByUid(members.uid), { jti: id, ...members })
    }
  })
})

/** Payloads that some storage engines do not store correctly. */
export const payloadCases: readonly ContractCase[] = [
  ...unusual,
  ...subjectToken,
  ...topLevelProto,
  ...large,
]
