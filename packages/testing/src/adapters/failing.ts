import assert from 'node:assert/strict'
import type { SingleUseAdapter } from 'oidc-provider-impersonation/adapters/contract'
import type { ContractCase } from './contract-case.ts'
import { requireEnding } from './impersonation-case.ts'
import { unique } from './unique.ts'

interface FailingCall {
  readonly name: string
  readonly about?: string
  readonly ending?: true
  call(adapter: SingleUseAdapter): Promise<unknown>
}

const secondaryKeys = { uid: 'u', userCode: 'c', grantId: 'g' }

const calls: readonly FailingCall[] = [
  { name: 'upsert', call: (adapter) => adapter.upsert(unique(), { jti: 'x' }, 60) },
  {
    name: 'upsert, with a uid, a user code and a grant',
    about: 'Session',
    call: (adapter) => adapter.upsert(unique(), { jti: 'x', ...secondaryKeys }, 60),
  },
  {
    name: 'upsert, without an expiry',
    about: 'Client',
    call: (adapter) => adapter.upsert(unique(), { client_id: 'x' }),
  },
  { name: 'find', call: (adapter) => adapter.find(unique()) },
  { name: 'findByUid', about: 'Session', call: (adapter) => adapter.findByUid(unique()) },
  {
    name: 'findByUserCode',
    about: 'DeviceCode',
    call: (adapter) => adapter.findByUserCode(unique()),
  },
  { name: 'consume', call: (adapter) => adapter.consume(unique()) },
  { name: 'consumeOnce', call: (adapter) => adapter.consumeOnce(unique()) },
  { name: 'destroy', call: (adapter) => adapter.destroy(unique()) },
  {
    name: 'revokeByGrantId',
    about: 'AccessToken',
    call: (adapter) => adapter.revokeByGrantId(unique()),
  },
  {
    name: 'upsert, with an account',
    ending: true,
    call: (adapter) => adapter.upsert(unique(), { accountId: unique(), clientId: unique() }, 60),
  },
  {
    name: 'consumeOnce, with a note',
    ending: true,
    call: (adapter) => adapter.consumeOnce(unique(), { actor: unique() }),
  },
  {
    name: 'endOnce',
    ending: true,
    call: (adapter) => requireEnding(adapter).endOnce(unique(), { at: 1 }),
  },
  { name: 'list', ending: true, call: (adapter) => requireEnding(adapter).list({}, 10) },
  {
    name: 'list, by an actor and an account',
    ending: true,
    call: (adapter) => {
      const before = { iat: 1, id: unique() }
      return requireEnding(adapter).list({ actor: unique(), accountId: unique() }, 10, before)
    },
  },
  {
    name: 'endedIndices',
    ending: true,
    call: (adapter) => requireEnding(adapter).endedIndices(unique()),
  },
]

/** A storage failure must reject: never "not found", never success. */
export const failingCases: readonly ContractCase[] = calls.map(({ name, about, ending, call }) => ({
  title: `rejects when the storage fails: ${name}`,
  needs: 'createBroken',
  ...(about === undefined ? {} : { about }),
  ...(ending ? { ending } : {}),
  async run(_, { adapterOf }) {
    const models = ending ? ['SubjectToken'] : ['SubjectToken', 'Session', about ?? 'Session']
    for (const model of new Set(models)) {
      await assert.rejects(
        async () => call(adapterOf(model)),
        (error) => error instanceof Error,
        `${name} has to reject with an Error`,
      )
    }
  },
}))
