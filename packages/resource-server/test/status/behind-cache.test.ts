import { expect } from 'chai'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import type { Fetch, ResourceServer } from '../../src/index.ts'
import { ENDED, startStatusProvider, verdict } from './status-provider.ts'

/** In seconds. */
const STEP = 2.5
const PROMISE = 35
/** The seconds that a clock may be behind. One that is further adds the rest where no cache says `Age`. */
const FORGIVEN = 5

const CACHES: Record<string, Omit<CacheOptions, 'keepFor'>> = {
  'keeps Date, says no Age': { saysAge: false, date: 'kept' },
  'keeps Date, says Age': { saysAge: true, date: 'kept' },
  'has a Date of its own, says no Age': { saysAge: false, date: 'own' },
}

describe('I11: the guard behind a cache that keeps status lists for too long', () => {
  for (const [title, cache] of Object.entries(CACHES)) {
    for (const keepFor of [40, 172]) {
      for (const behind of [-60, 0, 5, 60]) {
        const promise = PROMISE + (cache.saysAge ? 0 : Math.max(0, behind - FORGIVEN))
        it(`${title}, ${keepFor} s; the clock of the API ${behind} s behind: ${promise} s at most`, async () => {
          const longest = await longestAfterEnd({ ...cache, keepFor }, behind)
          expect(longest).to.be.at.most(promise)
        })
      }
    }
  }

  it('a clock that is a minute behind adds its minute, where a cache says no Age', async () => {
    const cache = { saysAge: false, date: 'kept', keepFor: 172 } as const
    expect(await longestAfterEnd(cache, 60)).to.be.within(80, 90)
  })
})

/** For how many seconds an ended token is accepted: by a guard in use, and by those that start. */
async function longestAfterEnd(cache: CacheOptions, behind: number): Promise<number> {
  using clock = stoppedClock()
  using provider = await startStatusProvider()
  provider.skew = behind
  const now = () => Date.now() + behind * 1000
  const fetch = cachingFetch(cache, now)
  const token = await provider.impersonated(1)
  const guard = () => provider.guard({ fetch })
  // Each goes on asking what it asked before: it may hold a copy that others no longer get.
  const guards: ResourceServer[] = [guard()]
  for (const api of guards) await verdict(api, token)
  provider.ended.add(1)
  let longest = 0
  const [first] = guards
  for (let passed = STEP; passed <= cache.keepFor + 40; passed += STEP) {
    clock.pass(STEP)
    guards.push(guard())
    const said = new Map<ResourceServer, string>()
    for (const api of guards) said.set(api, await verdict(api, token))
    if ([...said.values()].includes('alice')) longest = passed
    // Those that refuse or hold nothing cannot accept it any more before they fetch again.
    for (const [api, answer] of said) {
      if (answer === 'alice' || api === first) continue
      guards.splice(guards.indexOf(api), 1)
    }
    if ([...said.values()].every((answer) => answer === ENDED)) break
  }
  return longest
}

interface CacheOptions {
  /** The time that it keeps a response, in seconds, whatever `Cache-Control` says. */
  readonly keepFor: number
  /** True if it says in `Age` how long it has kept it: RFC 9111 §5.1. */
  readonly saysAge: boolean
  /** `Date`: that of what it keeps (RFC 9111 §4.2.3), or its own (nginx, unless told otherwise). */
  readonly date: 'kept' | 'own'
}

/**
 * Returns a `fetch` by way of a cache that keeps responses for longer than they allow.
 *
 * @param now its clock, in milliseconds since the epoch
 */
function cachingFetch({ keepFor, saysAge, date }: CacheOptions, now: () => number): Fetch {
  const kept = new Map<string, { at: number; response: Response }>()
  return async (url, init) => {
    const known = kept.get(url)
    const entry =
      known && now() - known.at < keepFor * 1000
        ? known
        : { at: now(), response: await fetch(url, { headers: init?.headers ?? {} }) }
    kept.set(url, entry)
    const response = entry.response.clone()
    const headers = new Headers(response.headers)
    if (date === 'own') headers.set('date', new Date(now()).toUTCString())
    if (saysAge) headers.set('age', String(Math.floor((now() - entry.at) / 1000)))
    return new Response(response.body, { headers })
  }
}
