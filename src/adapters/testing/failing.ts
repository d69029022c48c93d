import assert from 'node:assert/strict'
import type { SingleUseAdapter } from '../contract.ts'
import { type ContractCase, unique } from './contract-case.ts'

const calls: Readonly<Record<string, (adapter: SingleUseAdapter) => Promise<unknown>>> = {
  upsert: (adapter) =>
    adapter.upsert(unique(), { jti: 'x', uid: 'u', userCode: 'c', grantId: 'g' }, 60),
  'upsert, without an expiry': (adapter) => adapter.upsert(unique(), { client_id: 'x' }),
  find: (adapter) => adapter.find(unique()),
  findByUid: (adapter) => adapter.findByUid(unique()),
  findByUserCode: (adapter) => adapter.findByUserCode(unique()),
  consume: (adapter) => adapter.consume(unique()),
  consumeOnce: (adapter) => adapter.consumeOnce(unique()),
  destroy: (adapter) => adapter.destroy(unique()),
  revokeByGrantId: (adapter) => adapter.revokeByGrantId(unique()),
}

/** Storage trouble is trouble: never "not found", never success. */
export const failingCases: readonly ContractCase[] = Object.entries(calls).map(([name, call]) => ({
  title: `rejects when the storage fails: ${name}`,
  needs: 'createBroken',
  async run({ factory }) {
    for (const model of ['SubjectToken', 'Session']) {
      await assert.rejects(
        async () => call(factory(model)),
        (error) => error instanceof Error,
        `${name} has to reject with an Error`,
      )
    }
  },
}))
