import { setImmediate as turn } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import { expect } from 'chai'
import { decodeJwt, type JWTPayload } from 'jose'
import { type AdapterPayload, Provider } from 'oidc-provider'
import type { EndingAdapter, EndNote } from '../../src/adapters/contract.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { signJwt } from '../../src/host/instance.ts'
import { type StatusIndices, statusIndices } from '../../src/status-list/allocate.ts'
import { statusLists } from '../../src/status-list/sign.ts'
import { signingKey } from '../support/deployment.ts'

export const ISSUER = 'https://id.example.com/oidc'
/** Seconds: a redemption time of ten minutes, an hour of access. */
export const TOKEN_LIFE = 4200
export const HOUR = 3_600_000

/** The store of the model `SubjectToken`, with a clock that is set by hand, and a past to return to. */
export class Store {
  /** Milliseconds since the epoch: ten minutes into an hour. */
  time = 490_000 * HOUR + 600_000
  /** The methods that were called, in order. */
  readonly calls: string[] = []
  /** Methods that reject. */
  readonly broken = new Set<string>()
  /** Is told of each call, before it. */
  onCall: ((method: string, id: unknown) => void) | undefined
  /** While it is set, calls wait for it. */
  stalled: Promise<void> | undefined
  readonly adapter: EndingAdapter
  #memory = this.#empty()
  #journal: Array<() => unknown> = []

  constructor() {
    this.adapter = new Proxy(this.#memory, {
      get: (_target, method) => {
        if (typeof Reflect.get(this.#memory, method) !== 'function') return undefined
        return async (...args: unknown[]) => {
          this.calls.push(String(method))
          this.onCall?.(String(method), args[0])
          await this.stalled
          if (this.broken.has(String(method)))
            throw new Error(`the storage failed at ${String(method)}`)
          const call = () => Reflect.apply(Reflect.get(this.#memory, method), this.#memory, args)
          if (/^(upsert|consume|end|destroy)/.test(String(method))) this.#journal.push(call)
          return call()
        }
      },
    })
  }

  /** A process that draws; `ahead` is by how many milliseconds its clock is fast. */
  process({ issuer = ISSUER, tokenLife = TOKEN_LIFE, ahead = 0 } = {}): StatusIndices {
    return statusIndices(this.adapter, { issuer, tokenLife, now: () => this.time + ahead })
  }

  /** Forgets everything: what a restart does to memory. */
  wipe(): void {
    this.#journal = []
    this.#memory = this.#empty()
  }

  /** Takes a snapshot; the function that it returns restores it. */
  snapshot(): () => Promise<void> {
    const journal = [...this.#journal]
    return async () => {
      this.#journal = journal
      this.#memory = this.#empty()
      for (const call of this.#journal) await call()
    }
  }

  /** Stores a token of a list, as issue does. */
  async issue(id: string, statusList: string, statusIndex: number): Promise<void> {
    const payload = { accountId: 'alice', iat: 1, statusList, statusIndex } satisfies AdapterPayload
    await this.adapter.upsert(id, payload, TOKEN_LIFE)
  }

  async end(id: string, end: EndNote = { at: 1 }): Promise<void> {
    await this.adapter.endOnce(id, end)
  }

  #empty(): EndingAdapter {
    return createMemoryAdapter({ now: () => this.time })('SubjectToken')
  }
}

/** Lets everything run that waits for nothing but other code. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn()
}

/** Remembers what was drawn, and counts what was drawn twice. */
export class Drawn {
  readonly lists = new Map<string, Uint8Array>()
  twice = 0

  add({ list, index }: { list: string; index: number }): void {
    let seen = this.lists.get(list)
    if (!seen) {
      seen = new Uint8Array(2 ** 20)
      this.lists.set(list, seen)
    }
    if (seen[index] !== 0) this.twice += 1
    seen[index] = 1
  }

  async from(process: StatusIndices, count: number): Promise<string> {
    let last = ''
    for (let n = 0; n < count; n += 1) {
      const drawn = await process.draw()
      this.add(drawn)
      last = drawn.list
    }
    return last
  }
}

export async function expectRejected(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    (error: unknown) => String(error),
  )
  expect(outcome).to.match(message)
}

/** Appendix "Test vectors", 1 bit: 2^20 statuses. */
export const LONG = [
  0, 1993, 25460, 159495, 495669, 554353, 645645, 723232, 854545, 934534, 1000345,
]
export type Claims = JWTPayload & {
  ttl: number
  status_list: { bits: number; lst: string; aggregation_uri: string }
}

export const provider = new Provider(ISSUER, {
  adapter: createMemoryAdapter(),
  jwks: { keys: [signingKey] as never },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  features: { devInteractions: { enabled: false } },
})

/** A process that draws and serves, and a list with an ended token at each index. */
export async function servingProcess(...ended: readonly number[]) {
  const store = new Store()
  const signed = { count: 0 }
  const indices = store.process()
  const lists = statusLists({
    issuer: ISSUER,
    adapter: store.adapter,
    indices,
    sign: (claims) => {
      signed.count += 1
      return signJwt(provider, 'statuslist+jwt', claims)
    },
    now: () => store.time,
  })
  const { list } = await indices.draw()
  await settled()
  await endedAt(store, list, ended)
  return { store, lists, list, signed, indices }
}

export async function endedAt(
  store: Store,
  list: string,
  indices: readonly number[],
): Promise<void> {
  for (const index of indices) {
    await store.issue(`${list}-${index}`, list, index)
    await store.end(`${list}-${index}`)
  }
}

export async function tokenOf(
  lists: ReturnType<typeof statusLists>,
  list: string,
): Promise<string> {
  const signed = await lists.find(list)
  if (!signed) throw new Error('there is no such list')
  return signed.token
}

export function setBits(lst: string): number[] {
  const bytes = inflateSync(Buffer.from(lst, 'base64url'))
  return [...bytes].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (1 << bit)).map((bit) => at * 8 + bit),
  )
}

export async function bitsOf(
  lists: ReturnType<typeof statusLists>,
  list: string,
): Promise<number[]> {
  return setBits(decodeJwt<Claims>(await tokenOf(lists, list)).status_list.lst)
}
