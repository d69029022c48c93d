import { setTimeout as wait } from 'node:timers/promises'
import { type Deployment, deploy } from './copies.ts'
import { measureOutage, type Outage } from './outage.ts'
import { progress } from './progress.ts'
import { quantile } from './statistics.ts'

/** How often an access token is used, in milliseconds. */
const USE_EVERY_MS = 20
/** How many impersonations run at the same time. */
const AT_ONCE = 8
/** An end comes at any moment of this time, in milliseconds: longer than a list is held. */
const USED_FOR_MS = 5000
/** When a token must not be accepted any more, in milliseconds after the end. */
const KNOWN_AFTER_MS = 8000

/** How long a token that goes on being accepted is followed, in milliseconds after the end. */
const GIVE_UP_AFTER_MS = 60_000

/** How long an API accepts impersonated tokens after their end. */
export interface EndFigures {
  readonly storage: string
  /** Copies of the provider. */
  readonly copies: number
  readonly ends: number
  /** From the answer to the end to the first refusal, in seconds. */
  readonly median: number
  readonly p95: number
  readonly max: number
  /** How many were accepted at any time after their first refusal. */
  readonly acceptedAgain: number
  /** How many were still accepted 8 s after the end, or later. */
  readonly stillAccepted: number
  readonly outage: Outage | undefined
}

export interface EndOptions {
  readonly alg: string
  readonly ends: number
  /** Whether the provider crashes afterwards; this takes half a minute. */
  readonly outage: boolean
  /** When a token must not be accepted any more, in milliseconds after the end. */
  readonly knownAfterMs?: number
}

/** Ends impersonations through one copy that were started through another one. */
export async function measureEnds(
  storage: string,
  { alg, ends, outage, knownAfterMs = KNOWN_AFTER_MS }: EndOptions,
): Promise<EndFigures> {
  const deployment = await deploy(storage, alg)
  const followed: Array<Promise<Followed>> = []
  let started = 0
  const worker = async () => {
    while (started < ends) {
      const index = started
      started += 1
      const { ended, all } = await endOne(deployment, index, knownAfterMs)
      followed.push(all)
      await ended
      progress(`${storage}: ${followed.length} of ${ends} ended`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ends) }, worker))
    const results = await Promise.all(followed)
    const seconds = results.map(({ refusedAfter }) => refusedAfter).toSorted((a, b) => a - b)
    progress(outage ? `${storage}: crashing the provider` : '')
    return {
      storage,
      copies: deployment.copies,
      ends,
      median: quantile(seconds, 0.5),
      p95: quantile(seconds, 0.95),
      max: quantile(seconds, 1),
      acceptedAgain: results.filter(({ acceptedAgain }) => acceptedAgain).length,
      stillAccepted: results.filter(({ stillAccepted }) => stillAccepted).length,
      outage: outage ? await measureOutage(deployment, storage) : undefined,
    }
  } finally {
    progress('')
    await deployment.stop()
  }
}

/** What became of one token. */
interface Followed {
  /** Seconds; infinite for one that was never refused. */
  readonly refusedAfter: number
  readonly acceptedAgain: boolean
  readonly stillAccepted: boolean
}

/**
 * Starts an impersonation through the first copy, uses its token, ends it through the last copy, and
 * goes on to use it.
 */
async function endOne({ first, last, call }: Deployment, index: number, knownAfterMs: number) {
  const subjectToken = await first.issue()
  const accessToken = await first.exchange(subjectToken)
  const endAt = performance.now() + Math.random() * USED_FOR_MS
  do {
    const status = await call(accessToken)
    if (status !== 200) throw new Error(`the API answered ${status} before the end`)
    await wait(USE_EVERY_MS)
  } while (performance.now() < endAt)

  // Both ways to end, in turn. The token is used while the end is under way.
  const end = index % 2 === 0 ? last.end(subjectToken) : last.endCurrent(accessToken)
  let endedAt = Number.POSITIVE_INFINITY
  const ended = Promise.resolve(end).then(() => {
    endedAt = performance.now()
  })

  const follow = async (): Promise<Followed> => {
    let refusedAfter = Number.POSITIVE_INFINITY
    let acceptedAgain = false
    let stillAccepted = false
    for (;;) {
      const since = performance.now() - endedAt
      const isAccepted = (await call(accessToken)) === 200
      const wasRefused = refusedAfter < Number.POSITIVE_INFINITY
      // An API may know before the answer to the end arrives.
      if (!isAccepted && !wasRefused) {
        refusedAfter = Math.max(0, performance.now() - endedAt) / 1000
      }
      if (isAccepted && wasRefused) acceptedAgain = true
      if (isAccepted && since >= knownAfterMs) stillAccepted = true
      if ((since >= knownAfterMs && !isAccepted) || since >= GIVE_UP_AFTER_MS) {
        return { refusedAfter, acceptedAgain, stillAccepted }
      }
      // After the first refusal, once in a while is enough.
      await wait(wasRefused ? USE_EVERY_MS * 25 : USE_EVERY_MS)
    }
  }
  const all = follow()
  all.catch(() => {})
  return { ended, all }
}
