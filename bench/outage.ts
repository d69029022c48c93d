import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from './copies.ts'
import { progress } from './progress.ts'

/** How many impersonations run when the provider crashes. */
const RUNNING_COUNT = 20
const USE_EVERY_MS = 100
/** How long refusals are waited for, in milliseconds. */
const MAX_WAIT_MS = 60_000
/** How long everything is used after the last refusal, in milliseconds. */
const AFTERWARDS_MS = 3000

/** What an API does while the provider is down. */
export interface Outage {
  /** Impersonated tokens; the first of them has ended just before. */
  readonly tokens: number
  /** From the crash until the API refuses the token that has ended, in seconds. */
  readonly endedRefusedAfter: number
  /** From the crash until the API refuses every impersonated token, in seconds. */
  readonly allRefusedAfter: number
  /** Impersonated tokens that were accepted after that. */
  readonly acceptedAgain: number
  /** What the API answered to impersonated tokens in the end, and how often. */
  readonly answers: Readonly<Record<number, number>>
  /** How often an ordinary token was used, and how often it was not accepted. */
  readonly ordinary: { readonly used: number; readonly refused: number }
}

/** Ends an impersonation, crashes all copies at once, and watches the API. */
export async function measureOutage(deployment: Deployment, storage: string): Promise<Outage> {
  const { first, last, call, crash } = deployment
  const ordinary = { used: 0, refused: 0 }
  const ordinaryToken = await first.clientCredentials()
  const useOrdinary = async () => {
    ordinary.used += 1
    if ((await call(ordinaryToken)) !== 200) ordinary.refused += 1
  }
  const subjectTokens = await Promise.all(Array.from({ length: RUNNING_COUNT }, first.issue))
  const tokens = await Promise.all(subjectTokens.map(first.exchange))
  const useAll = () => Promise.all(tokens.map(call))
  // The API holds a list of this moment.
  const before = await useAll()
  await useOrdinary()
  if (before.some((status) => status !== 200)) {
    throw new Error(`the API answered ${before} before the outage`)
  }

  await last.end(subjectTokens[0] ?? '')
  const crashedAt = performance.now()
  await crash()

  let endedRefusedAfter = Number.POSITIVE_INFINITY
  let allRefusedAfter = Number.POSITIVE_INFINITY
  let acceptedAgain = 0
  let statuses = before
  for (;;) {
    const asked = performance.now()
    statuses = await useAll()
    await useOrdinary()
    const since = (performance.now() - crashedAt) / 1000
    const accepted = statuses.filter((status) => status === 200).length
    if (statuses[0] !== 200) endedRefusedAfter = Math.min(endedRefusedAfter, since)
    if (allRefusedAfter < Number.POSITIVE_INFINITY) acceptedAgain += accepted
    else if (accepted === 0) allRefusedAfter = since
    progress(
      `${storage}: ${Math.floor(since / 5) * 5} s without a provider, ${accepted} tokens accepted`,
    )
    const until = Math.min(
      crashedAt + allRefusedAfter * 1000 + AFTERWARDS_MS,
      crashedAt + MAX_WAIT_MS,
    )
    if (asked >= until) break
    await wait(USE_EVERY_MS)
  }
  const answers: Record<number, number> = {}
  for (const status of statuses) answers[status] = (answers[status] ?? 0) + 1
  const { length } = tokens
  return { tokens: length, endedRefusedAfter, allRefusedAfter, acceptedAgain, answers, ordinary }
}
