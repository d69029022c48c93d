import { expect } from 'chai'
import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndingAdapter, ListedBefore } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'

/** The last one is the plugin's own: without it, no look-up finds its records. */
const accounts = ['account-0', 'account-1', '\u0001own']

/**
 * Calls an adapter and the memory adapter alike, at random: what the one answers, the other does.
 *
 * @param advance moves the clock of the adapter's storage forward
 */
export async function sameAsMemory(
  adapter: EndingAdapter,
  advance: (seconds: number) => Promise<void> | void,
  calls: number,
): Promise<void> {
  let now = Date.now()
  const factory = createMemoryAdapter({ now: () => now })
  const memory = factory('SubjectToken')
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = generator(seed)
  const maybe = <T>(value: T): T | undefined => (random(2) === 0 ? value : undefined)
  const newId = () => `${'-_0Aa'[random(5)]}${random(2)}`

  for (let call = 0; call < calls; call += 1) {
    const both = async <T>(name: string, act: (adapter: EndingAdapter) => Promise<T>) => {
      const expected = comparable(await act(memory))
      const answer = comparable(await act(adapter))
      expect(answer, `call ${call} of seed ${seed}: ${name}`).to.deep.equal(expected)
    }
    const id = newId()
    const payload: AdapterPayload = {
      jti: id,
      iat: 1000 + random(3),
      clientId: `client-${random(2)}`,
      ...(random(5) > 0 && { accountId: accounts[random(3)] }),
      ...(random(3) > 0 && { actor: `actor-${random(2)}` }),
      ...(random(4) > 0 && { statusList: `list-${random(2)}`, statusIndex: call }),
      ...(random(8) === 0 && { consumed: 5 }),
    }
    const expiresIn = [5, 50, 100, undefined][random(4)]
    const note: ConsumptionNote = { call, ...maybe({ actor: `actor-${random(3)}` }) }
    const noted = maybe(note)
    const lookUp = {
      accountId: maybe(accounts[random(3)]),
      actor: maybe(`actor-${random(3)}`),
      clientId: maybe(`client-${random(2)}`),
    }
    const before: ListedBefore | undefined = maybe({ iat: 1000 + random(3), id: newId() })
    const limit = 1 + random(5)

    const kinds: (() => Promise<void>)[] = [
      () => both('upsert', (each) => each.upsert(id, payload, expiresIn)),
      () => both('consumeOnce', (each) => each.consumeOnce(id, noted)),
      () => both('endOnce', (each) => each.endOnce(id, { call })),
      () => both('find', (each) => each.find(id)),
      () => both('list', (each) => each.list(lookUp, limit, before)),
      async () => {
        await factory.deleteExpired()
        await both('endedIndices', async (each) => new Set(await each.endedIndices('list-0')))
      },
      async () => {
        if (random(4) === 0) await both('destroy', (each) => each.destroy(id))
      },
      async () => {
        if (random(4) === 0) await both('consume', (each) => each.consume(id))
      },
      async () => {
        if (random(5) > 0) return
        now += 7000
        await advance(7)
      },
    ]
    // writing twice as often as anything else
    await (kinds[Math.max(0, random(kinds.length + 1) - 1)] ?? expect.fail)()
  }
}

/** Clocks differ by a second: that a record was consumed is compared, not when. */
function comparable(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(comparable)
  if (typeof answer !== 'object' || answer === null || !('consumed' in answer)) return answer
  return { ...answer, consumed: true }
}

function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
