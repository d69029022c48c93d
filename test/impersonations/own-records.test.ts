import { expect } from 'chai'
import type { ListedBefore, LookUp } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { deploy } from '../support/deployment.ts'

const OWN = '\u0001own'

/** An adapter of others, which lists the records that the plugin keeps for itself, too. */
function listingAll() {
  const memory = createMemoryAdapter()
  const tokens = memory('SubjectToken')
  async function list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const own = await tokens.list({ ...lookUp, accountId: OWN }, limit, before)
    // They are the newest.
    const rest = before && !before.id.startsWith('own:') ? before : undefined
    return [...own, ...(await tokens.list(lookUp, limit, rest))].slice(0, limit)
  }
  const all = Object.create(tokens, { list: { value: list } }) as typeof tokens
  return (model: string) => (model === 'SubjectToken' ? all : memory(model))
}

describe("the plugin's own records, where an adapter of others lists them", () => {
  it('are in no page of impersonations, and hide none', async () => {
    const adapter = listingAll()
    await using deployment = await deploy({ adapter })
    for (let n = 0; n < 3; n += 1) await deployment.subjectToken()
    const iat = Math.floor(Date.now() / 1000) + 60
    for (let n = 0; n < 1050; n += 1) {
      await adapter('SubjectToken').upsert(`own:${n}`, { jti: `own:${n}`, iat, accountId: OWN }, 60)
    }
    const { impersonation } = deployment.provider
    const first = await impersonation.list({ limit: 2, state: 'issued' })
    const second = await impersonation.list({ state: 'issued', cursor: String(first.next) })
    expect([first.items.length, second.items.length]).to.deep.equal([2, 1])
    expect(await impersonation.endAll({ requestedBy: 'backend' })).to.equal(3)
  })
})
