import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  ATTEMPT_MS,
  type Audience,
  type AuditEntry,
  MAX_FAILURES,
  nextDelivery,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import { log } from '../../kernel/log-line.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { OutboxSource, Subject, Telling } from './source.ts'

/** Tells people what is due, whichever process recorded it. */
export type Outbox = ReturnType<typeof startOutbox>

export interface OutboxOptions {
  readonly recorder: Pick<Recorder, 'recordMissing'>
  readonly to: Audience
  /** The people who are told, for the log: `'customers'`. */
  readonly who: string
  readonly sources: readonly OutboxSource<Subject>[]
  /** So many are told at once: one that hangs holds up no other. @defaultValue 16 */
  readonly atOnce?: number | undefined
  /** Time between two looks, in milliseconds. @defaultValue 2 seconds */
  readonly interval?: number | undefined
  /** Time limit of an attempt, in milliseconds: less than the next one waits. @defaultValue 50 seconds */
  readonly timeoutMs?: number | undefined
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** At least so many are looked for at once. */
const MIN_FOUND = 100
const STOP_TIMEOUT_MS = 5000

/**
 * The audit is the outbox: what is due stands in rows and permits, and each attempt begins with an entry that is
 * stored once, by one of all processes. What became of it is written until it is stored. A process that is killed
 * before that leaves its attempt, and 60 seconds later comes another with the same id.
 */
export function startOutbox({
  recorder: { recordMissing },
  to,
  who,
  sources,
  atOnce = 16,
  interval = 2000,
  timeoutMs = 50_000,
  now = () => Date.now(),
}: OutboxOptions) {
  const closing = new AbortController()
  const over = new AbortController()
  /** Attempts by the id of the impersonation or the permit. */
  const underWay = new Map<string, Promise<void>>()
  /** More than are under way: these are found again until it is stored that they began. */
  const limit = Math.max(MIN_FOUND, 2 * atOnce)

  /** Tells all that is due. Returns while the last of them are under way. */
  async function look(source: OutboxSource<Subject>): Promise<void> {
    for (let isMore = true; isMore; ) {
      const found = await source.findDue(now(), limit)
      const begun: Promise<boolean>[] = []
      for (const subject of found) {
        if (underWay.has(subject.id)) continue
        while (underWay.size >= atOnce && !closing.signal.aborted) {
          await Promise.race(underWay.values())
        }
        if (closing.signal.aborted) return
        begun.push(begin(source, subject))
      }
      // If none of them could begin, the same would be found again.
      isMore = found.length === limit && (await Promise.all(begun)).includes(true)
    }
  }

  /** Returns true if something is stored of it. */
  function begin(source: OutboxSource<Subject>, subject: Subject): Promise<boolean> {
    const begun = Promise.withResolvers<boolean>()
    const telling = tell(source, subject, begun.resolve)
      .catch((error: unknown) => log(`${who} are not told yet: ${reasonOf(error)}`))
      .finally(() => {
        begun.resolve(false)
        underWay.delete(subject.id)
      })
    underWay.set(subject.id, telling)
    return begun.promise
  }

  async function tell(
    { about, choose }: OutboxSource<Subject>,
    subject: Subject,
    began: (isBegun: boolean) => void,
  ): Promise<void> {
    const time = now()
    const telling = await choose(subject, time)
    if (!telling) return
    const { id, customer } = subject
    const { kind, count } = telling
    const delivery = nextDelivery(subject.deliveries?.[to], { to, kind, count })
    const record = (event: AuditEntry['event'], failures = delivery.failures) =>
      recordMissing({
        event,
        timeMs: now(),
        [about]: id,
        userId: customer?.id,
        delivery: { ...delivery, failures },
      })
    if (telling.is !== 'told') {
      const isJoined = telling.is === 'joined'
      const stored = isJoined ? record('support.joined') : record('support.untold', MAX_FAILURES)
      return began(await stored)
    }
    const isBegun = await record('support.telling')
    began(isBegun)
    // An attempt that took long to be stored has lost its time.
    if (!isBegun || now() > time + ATTEMPT_MS - timeoutMs) return
    // The same in every process, and each time.
    const messageId = digestOf(JSON.stringify([to, about, id, kind, count]))
    const failure = await failureOf(telling, messageId)
    if (failure === undefined) await record('support.told', 0)
    else {
      log(`telling ${who} failed, and is tried again: ${failure}`)
      await record('support.untold', delivery.failures + 1)
    }
  }

  /** Returns the reason why it failed; `undefined` if it did not. */
  async function failureOf({ tell }: Extract<Telling, { is: 'told' }>, id: string) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), over.signal])
    const telling = async () => {
      await tell(id, signal)
      return true
    }
    try {
      return (await untilAborted(telling(), signal)) ? undefined : 'it took too long'
    } catch (error) {
      return reasonOf(error)
    }
  }

  // One source that fails, or has much to tell, does not hold up the other.
  const stops = sources.map((source) =>
    // Two processes do not look in the same moments.
    every(
      () => interval * (0.75 + Math.random() / 2),
      () => look(source),
      {
        says: { failing: `${who} are not told, until it works`, again: `${who} are told again` },
      },
    ),
  )

  return {
    /** Begins nothing more. Resolves when what is under way is over; after 5 seconds it is aborted. */
    async stop(): Promise<void> {
      closing.abort()
      for (const stop of stops) void stop()
      const all = Promise.all(underWay.values())
      if (await endsWithin(STOP_TIMEOUT_MS, all)) return
      // An attempt that is aborted failed, and is tried again.
      over.abort()
      await endsWithin(STOP_TIMEOUT_MS, all)
    },
  }
}
