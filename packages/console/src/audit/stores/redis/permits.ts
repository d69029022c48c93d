import type { StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { Decision, PermitFilter, PermitStore } from '../../permit-store.ts'
import { assertTimes } from '../../unstorable.ts'
import { comparePositions, parseRowCursor, rowCursor } from '../cursor.ts'
import { encodePermit, parsePermit, permitMatcher } from '../permit-record.ts'
import { KeyNumbers, recordArguments } from './append.ts'
import { parseList, parseNumber, parseText, type RedisConnection } from './connection.ts'
import type { PermitIndex, RedisKeys } from './keys.ts'
import { DECIDE_SCRIPT } from './scripts.ts'

/** How many permits are read at once. */
const PERMITS_PER_READ = 200
/** How often a permit is read again because another process changed it. */
const MAX_ATTEMPTS = 50

/** Permits in Redis, but for their removal. */
export function redisPermits(
  redis: RedisConnection,
  keys: RedisKeys,
): Omit<PermitStore, 'removePermit'> {
  async function permitAt(id: string): Promise<StoredPermit | undefined> {
    const text = parseText(await redis.send('HGET', keys.permits, id))
    return text === undefined ? undefined : parsePermit(text)
  }

  return {
    async decide(decision) {
      assertTimes(decision.batch)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const read = parseText(await redis.send('HGET', keys.permits, decision.permit.id))
        const answer = parseText(await redis.run(DECIDE_SCRIPT, ...commandOf(keys, decision, read)))
        if (answer === 'done') return true
        if (answer === 'other') return false
        if (answer !== 'again') throw new Error('Redis answered a decision with something unknown')
      }
      throw new Error('other processes change the same permit all the time')
    },

    permit: permitAt,

    async slotHolder(slot) {
      // A holder that is removed meanwhile has none after it, or another one.
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const [reply] = parseList(await redis.send('ZREVRANGE', keys.permitsOf(slot), '0', '0'))
        const id = parseText(reply)
        const permit = id === undefined ? undefined : await permitAt(id)
        if (permit || id === undefined) return permit
      }
      throw new Error('a permit that its slot has is missing in Redis')
    },

    async permits(filter, { before, limit }) {
      const after = before === undefined ? undefined : parseRowCursor(before)
      const matches = permitMatcher(filter)
      const set = await findSmallest(redis, indexesOf(filter).map(keys.permitsBy))
      const found: StoredPermit[] = []
      const range = [after ? String(after.at) : '+inf', '-inf', 'LIMIT']
      for (let start = 0; found.length <= limit; start += PERMITS_PER_READ) {
        const slice = [...range, String(start), String(PERMITS_PER_READ)]
        const ids = parseList(await redis.send('ZREVRANGEBYSCORE', set, ...slice)).map(String)
        if (ids.length === 0) break
        const texts = parseList(await redis.send('HMGET', keys.permits, ...ids))
        for (const reply of texts) {
          const text = parseText(reply)
          const permit = text === undefined ? undefined : parsePermit(text)
          if (!permit || !matches(permit)) continue
          if (!after || comparePositions(permit, after) < 0) found.push(permit)
        }
      }
      const permits = found.slice(0, limit)
      const last = permits.at(-1)
      return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
    },
  }
}

/** The sorted sets that a permit is in, but for that of its slot, and its score in each. */
export function permitScores(
  keys: RedisKeys,
  permit: StoredPermit | undefined,
): Map<string, number> {
  const scores = new Map<string, number>()
  if (!permit) return scores
  const { at, customer, operator, state, isReviewDue, overAt, noticeDueAt } = permit
  const due = { noticeDueBefore: noticeDueAt, ...(isReviewDue && { isReviewDue }) }
  const filter = { customer, operator, state, ...due }
  for (const index of ['all' as const, ...indexesOf(filter)]) scores.set(keys.permitsBy(index), at)
  if (overAt !== undefined) scores.set(keys.permitsOver, overAt)
  return scores
}

/** A permit that matches is in all of them. */
function indexesOf(filter: PermitFilter): PermitIndex[] {
  const { customer, operator, state, isReviewDue, noticeDueBefore } = filter
  const indexes: (PermitIndex | false)[] = [
    customer !== undefined && `customer ${customer}`,
    operator !== undefined && `operator ${operator}`,
    state !== undefined && `state ${state}`,
    isReviewDue === true && 'review',
    noticeDueBefore !== undefined && 'notice',
  ]
  const given = indexes.filter((index) => index !== false)
  return given.length === 0 ? ['all'] : given
}

async function findSmallest(redis: RedisConnection, sets: readonly string[]): Promise<string> {
  const sizes = await Promise.all(
    sets.map(async (key) => ({ key, size: parseNumber(await redis.send('ZCARD', key)) })),
  )
  return sizes.toSorted((a, b) => a.size - b.size)[0]?.key ?? ''
}

function commandOf(
  keys: RedisKeys,
  { batch, permit, replaces, slotHolder }: Decision,
  read: string | undefined,
): [keys: string[], args: string[]] {
  const { writer, number, records } = batch
  const isSlotTaken = replaces === 0 && permit.slot !== undefined
  const slot = isSlotTaken ? keys.permitsOf(permit.slot) : keys.permits
  const sets = new KeyNumbers([
    ...[keys.chains, keys.newest, keys.links, keys.entries, keys.counts, keys.repeats],
    ...[keys.permits, slot],
  ])
  const head = records.at(-1)
  const args: (string | number)[] = [writer, number, head?.sequence ?? '', head?.hash ?? '']
  args.push(permit.id, read ?? '', replaces, isSlotTaken ? 1 : 0)
  args.push(slotHolder?.id ?? '', slotHolder?.version ?? 0, encodePermit(permit))
  const scores = permitScores(keys, permit)
  const before = permitScores(keys, read === undefined ? undefined : parsePermit(read))
  const left = [...before.keys()].filter((key) => !scores.has(key))
  args.push(left.length + scores.size)
  for (const key of left) args.push(sets.numberOf(key), '')
  for (const [key, score] of scores) args.push(sets.numberOf(key), score)
  args.push(...recordArguments(keys, sets, batch))
  return [sets.keys, args.map(String)]
}
