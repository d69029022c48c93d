import { expect } from 'chai'
import {
  type Answer,
  type ProviderProcess,
  REFUSED,
  startProvider,
  succeeded,
} from './providers.ts'
import { onStores, type Store } from './stores.ts'

const AT_ONCE = 50

const TOKENS = Number(process.env.PROOF_TOKENS ?? 100)
/** The number of tokens that are redeemed at the same time. */
const FIGHTS = 4

describe('I1: one redemption, with two processes', () => {
  onStores(['sqlite', 'node-redis', 'pg'], (store) => {
    it(`${TOKENS} tokens, each exchanged ${AT_ONCE} times at once: one success for each, a clean 400 for the rest`, async function () {
      this.timeout(600_000)
      const fights = await race(store, TOKENS)
      expect(fights).to.have.length(TOKENS)
      const losers = Array.from({ length: AT_ONCE - 1 }, () => REFUSED)
      for (const answers of fights) {
        expect(answers.filter(succeeded)).to.have.length(1)
        expect(answers.filter((answer) => !succeeded(answer))).to.deep.equal(losers)
      }
    })
  })
})

/**
 * All callers try to redeem each token: half of them at one process, half at the other. Returns the
 * answers for each token.
 */
async function race(store: Store, count: number): Promise<Answer[][]> {
  const start = () => startProvider({ storage: store.spec() })
  const providers: ProviderProcess[] = await Promise.all([start(), start()])
  try {
    const tokens = (
      await Promise.all(providers.map((provider) => provider.subjectTokens(count / 2)))
    ).flat()
    expect(new Set(tokens).size).to.equal(count)
    const fights: Answer[][] = []
    const fight = async () => {
      for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
        const won = token
        const attempts = Array.from({ length: AT_ONCE / providers.length }, () =>
          providers.map((provider) => provider.exchange(won)),
        )
        fights.push(await Promise.all(attempts.flat()))
      }
    }
    await Promise.all(Array.from({ length: FIGHTS }, fight))
    return fights
  } finally {
    await Promise.all(providers.map((provider) => provider.stop()))
  }
}
