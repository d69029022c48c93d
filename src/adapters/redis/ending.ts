import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndNote, ListedBefore, LookUp } from '../contract.ts'
import { decodePayload, encodePayload, type ListingKeys, listingKeys } from '../record.ts'
import type { RedisConnection } from './connection.ts'
import { chunksIn, followEnded, join } from './follow-ended.ts'
import type { RedisKeys } from './keys.ts'
import type { Confirm } from './replicas.ts'
import { attempt, parseArray, parsePairs, yes } from './replies.ts'
import * as scripts from './scripts.ts'

/** How many records are looked at in one step of a listing. */
const MAX_RECORDS_AT_ONCE = 256
/**
 * How long after its issue a record that is not there stays in a look-up, in seconds: on Cluster
 * the look-up is written before the record.
 */
const STAYS_LISTED = 300

/** What `upsertScript` takes: life in milliseconds or '', payload, consumed or '', grant or ''. */
export type WrittenFields = readonly [life: string, ...rest: string[]]

/** The records that are listed, their look-ups and their ends. */
export function redisEnding(redis: RedisConnection, redisKeys: RedisKeys, model: string) {
  async function readRecord(key: string): Promise<AdapterPayload | undefined> {
    const command = ['HMGET', key, 'payload', 'consumed', 'note', 'end']
    const [payload, consumed, note, end] = parseArray(await redis.send(command, key))
    if (!isThere(payload)) return undefined
    return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end })
  }

  function lookUpKeys({ accountId, actor, clientId }: LookUp): string[] {
    const keys: string[] = []
    if (accountId !== undefined) keys.push(redisKeys.of('account', accountId))
    if (actor !== undefined) keys.push(redisKeys.of('actor', actor))
    if (clientId !== undefined) keys.push(redisKeys.of('client', clientId))
    return keys
  }

  function addIndex(list: string, index: number, life: string): Promise<unknown> {
    return redis.run(scripts.addIndexScript, list, String(index), life)
  }

  /** The fields of the hash that a list and its ended indices are in. */
  async function readList(list: string): Promise<[string, string][]> {
    const key = redisKeys.ofList(list)
    return parsePairs(await redis.send(['HGETALL', key], key))
  }

  function joinLookUp(key: string, member: string, iat: string, life: string): Promise<unknown> {
    return redis.run(scripts.joinLookUpScript, key, member, iat, life)
  }

  async function smallest(keys: readonly string[]): Promise<string> {
    if (keys.length < 2) return keys[0] ?? redisKeys.all
    const sizes = await Promise.all(keys.map((key) => redis.send(['ZCARD', key], key)))
    const smallest = Math.min(...sizes.map(Number))
    return keys[sizes.findIndex((size) => Number(size) === smallest)] ?? redisKeys.all
  }

  /** Takes records that are gone out of a look-up. Errors do no harm: the next listing does it. */
  function forget(key: string, gone: readonly Entry[]): void {
    const issuedBefore = Date.now() / 1000 - STAYS_LISTED
    const members = gone.filter(({ iat }) => iat < issuedBefore).map(({ member }) => member)
    if (members.length > 0) redis.send(['ZREM', key, ...members], key).catch(() => {})
  }

  function matches(payload: AdapterPayload, { accountId, actor, clientId }: LookUp): boolean {
    const keys = listingKeys(model, payload)
    if (!keys) return false
    if (accountId !== undefined && keys.accountId !== accountId) return false
    if (clientId !== undefined && keys.clientId !== clientId) return false
    return actor === undefined || (actorOf(payload.note) ?? keys.actor) === actor
  }

  return {
    read: readRecord,

    async write(id: string, listed: ListingKeys, fields: WrittenFields): Promise<void> {
      const key = redisKeys.of('id', id)
      const lookUps = [redisKeys.all, ...lookUpKeys(listed)]
      const [member, iat, [life]] = [encodeMember(id), String(listed.iat), fields]
      const kept = await redis.together(
        () => redis.run(scripts.upsertListedScript, [key, ...lookUps], ...fields, iat, member),
        async () => {
          await Promise.all(lookUps.map((lookUp) => joinLookUp(lookUp, member, iat, life)))
          return redis.run(scripts.upsertListedScript, key, ...fields, iat, member)
        },
      )
      if (Number(kept) === 0) return
      const [note, end] = parseArray(kept)
      if (isThere(note)) {
        const actor = actorOf(decodePayload('{}', { note }).note)
        if (actor !== undefined) await joinLookUp(redisKeys.of('actor', actor), member, iat, life)
      }
      if (isThere(end) && isIndexed(listed)) {
        await addIndex(redisKeys.ofList(listed.statusList), listed.statusIndex, life)
      }
    },

    async consumeOnce(id: string, note: ConsumptionNote): Promise<boolean> {
      const key = redisKeys.of('id', id)
      const actor = actorOf(note)
      const lookUp = actor === undefined ? undefined : redisKeys.of('actor', actor)
      const member = encodeMember(id)
      const args = [attempt(), encodePayload(note), member]
      const consume = (keys: readonly string[]) =>
        redis.run(scripts.consumeWithNoteScript, keys, ...args)
      if (lookUp === undefined) return yes(parseArray(await consume([key]))[0])
      return redis.together(
        async () => yes(parseArray(await consume([key, lookUp]))[0]),
        async () => {
          const [won, iat, life] = parseArray(await consume([key]))
          if (!yes(won)) return false
          if (iat !== '') await joinLookUp(lookUp, member, String(iat), String(life))
          return true
        },
      )
    },

    async endOnce(id: string, end: EndNote, confirm: Confirm): Promise<boolean> {
      const key = redisKeys.of('id', id)
      const payload = await redis.send(['HGET', key, 'payload'], key)
      if (!isThere(payload)) return false
      const args = [attempt(), encodePayload(end)]
      const mark = (...keys: string[]) =>
        confirm(key, async () =>
          yes(await redis.run(scripts.endScript, [key, ...keys], ...args, index)),
        )

      const listed = listingKeys(model, decodePayload(payload, {}))
      const index = String(listed?.statusIndex)
      if (!listed || !isIndexed(listed)) return mark()
      const { statusIndex } = listed
      const list = redisKeys.ofList(listed.statusList)
      return redis.together(
        () => mark(list),
        async () => {
          const left = Number(await redis.send(['PTTL', key], key))
          if (left === NOT_THERE) return false
          const life = left < 0 ? '' : String(left)
          await confirm(list, () => addIndex(list, statusIndex, life))
          return mark()
        },
      )
    },

    async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
      const key = await smallest(lookUpKeys(lookUp))
      const found: AdapterPayload[] = []
      let after = before ? [String(before.iat), encodeMember(before.id)] : ['', '']
      for (let count = limit; ; count = Math.min(count * 2, MAX_RECORDS_AT_ONCE)) {
        const reply = await redis.run(scripts.pageScript, key, ...after, String(count))
        const page = parseEntries(parseArray(reply))
        const payloads = await Promise.all(
          page.map(({ member }) => readRecord(redisKeys.of('id', decodeMember(member)))),
        )
        forget(
          key,
          page.filter((_, i) => payloads[i] === undefined),
        )
        for (const payload of payloads) {
          if (payload && matches(payload, lookUp)) found.push(payload)
          if (found.length === limit) return found
        }
        const last = page.at(-1)
        if (!last || page.length < count) return found
        after = [String(last.iat), last.member]
      }
    },

    async endedIndices(list: string): Promise<number[]> {
      return [...join(chunksIn(await readList(list)))]
    },

    followEnded: (list: string) => followEnded(list, () => readList(list)),

    /** The payload ended: its index goes with it. */
    async gone(stored: unknown): Promise<void> {
      const listed = listingKeys(model, decodePayload(stored, {}))
      if (!listed || !isIndexed(listed)) return
      const key = redisKeys.ofList(listed.statusList)
      await redis.run(scripts.removeIndexScript, key, String(listed.statusIndex))
    },
  }
}

/** What PTTL answers for a key that is not there. */
const NOT_THERE = -2

interface Entry {
  readonly member: string
  readonly iat: number
}

/** Members and scores in turn; what has a score under 0 is no record (`joinLookUpScript`). */
function parseEntries(reply: readonly unknown[]): Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i + 1 < reply.length; i += 2) {
    const iat = Number(reply[i + 1])
    if (iat >= 0) entries.push({ member: String(reply[i]), iat })
  }
  return entries
}

/** Bytes of members compare as code units of ids do. Ids of ASCII characters stay as they are. */
function encodeMember(id: string): string {
  return id.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\u007f${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function decodeMember(member: string): string {
  return member.replace(/\u007f(....)/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function actorOf(note: unknown): string | undefined {
  const actor: unknown = Object(note).actor
  return typeof actor === 'string' ? actor : undefined
}

function isIndexed(
  keys: ListingKeys,
): keys is ListingKeys & { statusList: string; statusIndex: number } {
  return keys.statusList !== undefined && keys.statusIndex !== undefined
}

function isThere(reply: unknown): boolean {
  return reply !== null && reply !== undefined
}
