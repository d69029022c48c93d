import { expect } from 'chai'
import type { Named } from 'oidc-provider-impersonation-verify/format'
import { type NameOf, naming } from '../../../src/ledger/recording/names.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { idOf, issued, replayed, started, T, used } from '../stores/contract/support.ts'
import { recorderOn } from './recorder-on.ts'

const PEOPLE: Readonly<Record<string, Named>> = {
  alice: { name: 'Alice Adams', email: 'alice@example.com' },
  olivia: { name: 'Olivia Ortiz' },
}

describe('names in the audit', () => {
  it('are added for the customer and the operator when an entry is recorded', async () => {
    const store = memoryAudit()
    const { record } = recorderOn(store, { nameOf: async (id) => PEOPLE[id] })
    const { stdout } = await quietly(async () => {
      await record(issued('a', T))
      await record(replayed('a', T + 1, { actor: { sub: 'mallory' } }))
    })
    const row = await store.row(idOf('a'))
    expect(row?.customer).to.deep.equal({ id: 'alice', ...PEOPLE.alice })
    expect(row?.operator).to.deep.equal({ id: 'olivia', name: 'Olivia Ortiz' })
    expect(stdout.join(''), 'the log has ids alone').not.to.include('Alice')
  })

  const failing: readonly [string, NameOf][] = [
    ['throws', () => expect.fail('no directory')],
    ['rejects', () => Promise.reject(new Error('no directory'))],
    ['knows no such account', () => undefined],
    ['never answers', () => new Promise<never>(() => {})],
    ['answers with something else', () => JSON.parse('{"name":7,"email":{"a":"b"},"x":"y"}')],
  ]
  for (const [what, nameOf] of failing) {
    it(`are left away where the directory ${what}`, async () => {
      const entry = started('a', T)
      expect(await naming(nameOf, 10)(entry)).to.deep.equal(entry)
    })
  }

  it('are left away for a while where the directory took too long, so that no entry waits again', async () => {
    let asked = 0
    const never = () => {
      asked += 1
      return new Promise<never>(() => {})
    }
    const add = naming(never, 5, 1_000_000)
    await add(used('a', T))
    for (const userId of ['bob', 'carol', 'dave']) await add({ ...used('a', T), userId })
    expect(asked).to.equal(2)
    const soon = naming(never, 5, 0)
    await soon(used('a', T))
    await soon(used('a', T))
    expect(asked).to.equal(6)
  })

  it('that come too late for an entry are in the next one', async () => {
    const late = Promise.withResolvers<Named>()
    let isFirst = true
    const add = naming(
      () => {
        if (!isFirst) expect.fail('it rests')
        isFirst = false
        return late.promise
      },
      5,
      1_000_000,
    )
    const entry = { ...used('a', T), actor: undefined }
    expect(await add(entry)).not.to.have.property('names')
    late.resolve({ name: 'Alice' })
    await new Promise(setImmediate)
    expect((await add(entry)).names?.user).to.deep.equal({ name: 'Alice' })
  })

  it('are asked for once in a minute, and again after an error', async () => {
    let asked = 0
    const add = naming((id) => {
      asked += 1
      if (asked === 1) throw new Error('not now')
      return PEOPLE[id]
    })
    const entry = { ...used('a', T), actor: undefined }
    expect(await add(entry)).to.not.have.property('names')
    const all = await Promise.all([add(entry), add(entry), add(entry)])
    expect(asked).to.equal(2)
    for (const { names } of all) expect(names).to.deep.equal({ user: PEOPLE.alice })
  })

  it('are cut off where they are too long, and hold nothing else that the directory knows', async () => {
    const person = { name: 'x'.repeat(1000), email: `${'y'.repeat(319)}\u{1f980}`, phone: '1' }
    const { names } = await naming(() => person)(used('a', T))
    expect(names?.user).to.deep.equal({
      name: 'x'.repeat(320),
      email: `${'y'.repeat(319)}\ufffd`,
    })
  })
})
