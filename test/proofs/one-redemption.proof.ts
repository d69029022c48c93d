import { expect } from 'chai'
import type { ProcessOptions } from './provider-process.ts'
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
      const answers = await race(store, TOKENS)
      expect(answers).to.have.length(TOKENS * AT_ONCE)
      expect(answers.filter(succeeded)).to.have.length(TOKENS)
      for (const losers of Object.values(byToken(answers))) {
        expect(losers.filter(succeeded)).to.have.length(1)
        expect(new Set(losers.filter((answer) => !succeeded(answer)).map(text))).to.deep.equal(
          new Set([text(REFUSED)]),
        )
      }
    })

    it('and this would notice an adapter whose consumeOnce does not ask', async function () {
      this.timeout(120_000)
      const answers = await race(store, FIGHTS, { claims: 'unconditional' })
      expect(answers.filter(succeeded)).to.have.length.above(FIGHTS)
    })
  })
})

interface FoughtFor extends Answer {
  readonly token: string
}

/** All callers try to redeem each token: half of them at one process, half at the other. */
async function race(
  store: Store,
  count: number,
  options: Pick<ProcessOptions, 'claims'> = {},
): Promise<FoughtFor[]> {
  const start = () => startProvider({ storage: store.spec(), ...options })
  const providers: ProviderProcess[] = await Promise.all([start(), start()])
  try {
    const tokens = (
      await Promise.all(providers.map((provider) => provider.subjectTokens(count / 2)))
    ).flat()
    expect(new Set(tokens).size).to.equal(count)
    const answers: FoughtFor[] = []
    const fight = async () => {
      for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
        const won = token
        const attempts = Array.from({ length: AT_ONCE / providers.length }, () =>
          providers.map(async (provider) => ({ ...(await provider.exchange(won)), token: won })),
        )
        answers.push(...(await Promise.all(attempts.flat())))
      }
    }
    await Promise.all(Array.from({ length: FIGHTS }, fight))
    return answers
  } finally {
    await Promise.all(providers.map((provider) => provider.stop()))
  }
}

function byToken(answers: readonly FoughtFor[]): Record<string, FoughtFor[]> {
  const grouped: Record<string, FoughtFor[]> = {}
  for (const answer of answers) {
    grouped[answer.token] ??= []
    grouped[answer.token]?.push(answer)
  }
  return grouped
}

function text({ status, body }: Answer): string {
  return `${status} ${body}`
}
