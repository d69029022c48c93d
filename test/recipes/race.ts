import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { Provider } from '../../src/index.ts'
import { deploymentConfiguration } from '../support/deployment-configuration.ts'

const CALLERS = 50
const ROUNDS = 10

export type Factory = (model: string) => SingleUseAdapter

/** Plays the race on adapters that have connections of their own; resolves the winners of each round. */
async function winners(factories: readonly Factory[]): Promise<number[]> {
  const counts: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = randomBytes(16).toString('base64url')
    const adapters = factories.map((factory) => factory('SubjectToken'))
    await adapters[0]?.upsert(id, { jti: id }, 60)
    const claims = Array.from({ length: CALLERS }, (_, caller) =>
      adapters[caller % adapters.length]?.consumeOnce(id),
    )
    counts.push((await Promise.all(claims)).filter((won) => won === true).length)
    await adapters[0]?.destroy(id)
  }
  return counts
}

/** The mistake that the race is there to find: it looks, and then it writes. */
export function readingFirst(factory: Factory): Factory {
  return (model) => {
    const adapter = factory(model)
    return {
      upsert: (id, payload, expiresIn) => adapter.upsert(id, payload, expiresIn),
      find: (id) => adapter.find(id),
      findByUid: (uid) => adapter.findByUid(uid),
      findByUserCode: (userCode) => adapter.findByUserCode(userCode),
      consume: (id) => adapter.consume(id),
      destroy: (id) => adapter.destroy(id),
      revokeByGrantId: (grantId) => adapter.revokeByGrantId(grantId),
      async consumeOnce(id) {
        const found = await adapter.find(id)
        if (!found || found.consumed) return false
        await adapter.consume(id)
        return true
      },
    }
  }
}

/** Defines the race of fifty, that it notices an adapter which reads and then writes, and check(). */
export function race(factories: () => readonly Factory[]): void {
  it(`tells one of ${CALLERS} callers on separate connections that it won, ${ROUNDS} times over`, async () => {
    assert.deepEqual(await winners(factories()), Array(ROUNDS).fill(1))
  })

  it('has a race that a claim which reads first and writes afterwards does not pass', async () => {
    const counts = await winners(factories().map(readingFirst))
    assert.ok(Math.max(...counts) > 1, `winners of each round: ${counts}`)
  })

  it('is found sound by provider.impersonation.check()', async () => {
    const [adapter] = factories()
    assert.ok(adapter)
    const base = 'https://id.example.com'
    const configuration = deploymentConfiguration(base, new Set(), { configuration: { adapter } })
    const { impersonation } = new Provider(base, configuration)
    await impersonation.check()
  })
}

/** mocha's `it` without the cases of these titles, for what a storage engine cannot do. */
export function itExcept(...titles: readonly string[]) {
  return (title: string, run: () => Promise<void>) => {
    if (!titles.includes(title)) it(title, run)
  }
}
