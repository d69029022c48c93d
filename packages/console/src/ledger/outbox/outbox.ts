import { setTimeout as wait } from 'node:timers/promises'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { ATTEMPT_MS, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { log } from '../../kernel/log-line.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import type { BegunAttempt, Due, OutboxSource } from './source.ts'

/** Tells people what is due, whichever process recorded it. */
export interface Outbox {
  /** Begins nothing more. Resolves when what is under way is over; after 5 seconds it is aborted. */
  stop(): Promise<void>
}

export interface OutboxOptions {
  readonly sources: readonly OutboxSource[]
  /** Who is told, for the log: `'customers'`. */
  readonly who: string
  /** So many notices are under way at once: one that hangs holds up no other. @defaultValue 16 */
  readonly atOnce?: number | undefined
  /** How long between two looks, in milliseconds. @defaultValue 2 seconds */
  readonly interval?: number | undefined
  /** How long an attempt may take, in milliseconds: less than the next one waits. @defaultValue 50 seconds */
  readonly timeoutMs?: number | undefined
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** At least so many are looked for at once. */
const MIN_FOUND = 100
const STOP_TIMEOUT_MS = 5000

/**
 * The audit is the outbox: what is due stands in rows and permits, and each attempt begins with an entry that is
 * stored once, by one of all processes. At least once: a process that is killed after it sent, and before
 * that is stored, leaves its attempt, and 60 seconds later comes another with the same id.
 */
export function startOutbox({
  sources,
  who,
  atOnce = 16,
  interval = 2000,
  timeoutMs = 50_000,
  now = () => Date.now(),
}: OutboxOptions): Outbox {
  const closing = new AbortController()
  const over = new AbortController()
  /** By the id of the impersonation or the permit. */
  const underWay = new Map<string, Promise<void>>()
  /** Resolves when one that was under way is over. */
  let slot = Promise.withResolvers<void>()
  /** What is under way is found again until it is stored that it began: there are more than these. */
  const limit = Math.max(MIN_FOUND, 2 * atOnce)
  /** The reason why a source fails, while it fails. */
  const troubles = new Map<OutboxSource, string>()

  /** Tells all that is due. Returns while the last of them are under way. */
  async function look(source: OutboxSource): Promise<void> {
    for (let isMore = true; isMore; ) {
      const found = await source.findDue(now(), limit)
      const begun: Promise<boolean>[] = []
      for (const due of found) {
        if (underWay.has(due.id)) continue
        while (underWay.size >= atOnce && !closing.signal.aborted) await slot.promise
        if (closing.signal.aborted) return
        begun.push(begin(due))
      }
      // Where none of them could begin, the same would be found again.
      isMore = found.length === limit && (await Promise.all(begun)).includes(true)
    }
  }

  /** Resolves whether the attempt began. */
  function begin(due: Due): Promise<boolean> {
    const begun = Promise.withResolvers<boolean>()
    const telling = tell(due, begun.resolve)
      .catch((error: unknown) => log(`${who} are not told yet: ${reasonOf(error)}`))
      .finally(() => {
        begun.resolve(false)
        underWay.delete(due.id)
        slot.resolve()
        slot = Promise.withResolvers()
      })
    underWay.set(due.id, telling)
    return begun.promise
  }

  async function tell(due: Due, began: (isBegun: boolean) => void): Promise<void> {
    const time = now()
    const attempt = await due.begin(time)
    began(attempt !== undefined)
    // An attempt that took long to be stored has lost its time.
    if (!attempt || now() > time + ATTEMPT_MS - timeoutMs) return
    const failure = await failureOf(attempt)
    if (failure !== undefined) log(`telling ${who} failed, and is tried again: ${failure}`)
    await attempt.finish(failure === undefined, now())
  }

  /** @returns why it failed; `undefined` where it did not */
  async function failureOf(attempt: BegunAttempt): Promise<string | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), over.signal])
    const outcome = attempt.tell(signal).then(
      () => ({ failure: undefined }),
      (error: unknown) => ({ failure: reasonOf(error) }),
    )
    return ((await untilAborted(outcome, signal)) ?? { failure: 'it took too long' }).failure
  }

  /** One source that fails, or has much to tell, does not hold up the other. */
  async function lookAgainAndAgain(source: OutboxSource): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await look(source)
        if (troubles.delete(source) && troubles.size === 0) log(`${who} are told again`)
      } catch (error) {
        const reason = reasonOf(error)
        const isTold = [...troubles.values()].includes(reason)
        if (!isTold) log(`${who} are not told, until it works: ${reason}`)
        troubles.set(source, reason)
      }
      await wait(interval, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const looking = untilAborted(Promise.all(sources.map(lookAgainAndAgain)), closing.signal)

  return {
    async stop() {
      closing.abort()
      await looking
      const all = Promise.all(underWay.values())
      if (await endsWithin(STOP_TIMEOUT_MS, all)) return
      // What is aborted failed, and is tried again.
      over.abort()
      await endsWithin(STOP_TIMEOUT_MS, all)
    },
  }
}
