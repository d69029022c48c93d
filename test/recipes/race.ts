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

/** Defines the race of fifty, and check(). */
export function race(factories: () => readonly Factory[]): void {
  it(`tells one of ${CALLERS} callers on separate connections that it won, ${ROUNDS} times over`, async () => {
    assert.deepEqual(await winners(factories()), Array(ROUNDS).fill(1))
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
