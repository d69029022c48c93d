import { randomUUID } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, KnownRecord, LookUp } from '../contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  isReserved,
  type ListingKeys,
  LOOK_UPS,
  lifetime,
  listingKeys,
  MAX_RETENTION_SECONDS,
  secondaryKeys,
  statusListId,
  storableKey,
} from '../record.ts'
import { isThere, parseArray, parsePairs, type RedisConnection, yes } from './connection.ts'
import { followEnded } from './ended-indices.ts'
import * as scripts from './scripts.ts'

/** The number of records of a grant that are revoked at once. */
const REVOKE_BATCH = 100
/** The number of records that one step of a listing reads. */
const MAX_RECORDS_AT_ONCE = 256
/**
 * The time after its issue for which a missing record stays in a look-up, in seconds, because the
 * look-up may be written before the record.
 */
const STAYS_LISTED_SECONDS = 300
/** The extra time for which a look-up has a record, in milliseconds, because clocks differ. */
const LOOK_UP_MARGIN_MS = 60_000

/** The parts that the adapters of one store share. */
export interface RedisStore {
  readonly redis: RedisConnection
  /** Checks the server always. */
  check(): Promise<void>
  /** Checks the server if no check has succeeded yet. */
  checkOnce(): Promise<void>
}

/** @param prefix - the prefix of the keys of this model */
export function redisAdapter(
  { redis, check, checkOnce }: RedisStore,
  prefix: string,
  model: string,
): EndingAdapter {
  /** Makes a key of an index for a value that is storable already. */
  const keyTo = (index: string, stored: string) => `${prefix}${index}:${stored}`
  const keyOf = (index: string, value: string) => keyTo(index, storableKey(value))
  /** The look-up of every record that is listed. */
  const allKey = `${prefix}all`
  /**
   * The record of a status list. Its ended indices are fields of the same hash, so that they are
   * lost together. Guards refuse if there is no list.
   */
  const listKey = (list: string) => keyOf('id', statusListId(list))

  function lookUpKeys({ accountId, actor, clientId }: LookUp): string[] {
    return Object.entries({ account: accountId, actor, client: clientId }).flatMap(
      ([index, value]) => (value === undefined ? [] : [keyOf(index, value)]),
    )
  }

  async function readRecord(key: string): Promise<AdapterPayload | undefined> {
    const command = ['HMGET', key, 'payload', 'consumed', 'note', 'end']
    const [payload, consumed, note, end] = parseArray(await redis.send(command, key))
    if (!isThere(payload)) return undefined
    return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end })
  }

  /** Reads a field of a live record, and the rest of its life as a script takes it. */
  async function readWithLife(key: string, field: string) {
    const [value, life] = await Promise.all([
      redis.send(['HGET', key, field], key),
      redis.send(['PTTL', key], key),
    ])
    if (!isThere(value) || Number(life) === NOT_THERE) return undefined
    return { value, life: Number(life) < 0 ? '' : String(life) }
  }

  function addIndex(list: string, index: number, life: string): Promise<unknown> {
    return redis.run(scripts.addIndexScript, listKey(list), String(index), life)
  }

  /** Reads the fields of the hash with a list and its ended indices. */
  async function readList(list: string): Promise<[string, string][]> {
    const key = listKey(list)
    return parsePairs(await redis.send(['HGETALL', key], key))
  }

  function joinLookUp(key: string, id: string, iat: string, life: string): Promise<unknown> {
    const lookUpLife = life === '' ? String(MAX_RETENTION_SECONDS * 1000) : life
    return redis.run(scripts.joinScript, key, storableKey(id), iat, lookUpLife)
  }

  /**
   * Lists a record by the actor of its note, too. @param known - read if the caller does not pass
   * it
   */
  async function joinActor(id: string, actor: string, known: KnownRecord | undefined) {
    const key = keyOf('actor', actor)
    if (known) {
      const life = String((lifetime(known.expiresIn) ?? 0) + LOOK_UP_MARGIN_MS)
      return joinLookUp(key, id, String(known.iat), life)
    }
    const read = await readWithLife(keyOf('id', id), 'iat')
    if (read) await joinLookUp(key, id, String(read.value), read.life)
  }

  /**
   * Removes records that are gone from a look-up. Errors do no harm, because the next listing
   * repeats it.
   */
  function forget(key: string, gone: readonly Entry[]): void {
    const issuedBefore = Date.now() / 1000 - STAYS_LISTED_SECONDS
    const members = gone.filter(({ iat }) => iat < issuedBefore).map(({ member }) => member)
    if (members.length > 0) redis.send(['ZREM', key, ...members], key).catch(() => {})
  }

  function matches(payload: AdapterPayload, lookUp: LookUp): boolean {
    const keys = listingKeys(model, payload)
    if (!keys) return false
    const found = { ...keys, actor: actorOf(payload.note) ?? keys.actor }
    return LOOK_UPS.every((name) => lookUp[name] === undefined || found[name] === lookUp[name])
  }

  /**
   * Restores the note and the end of a replaced record in its look-ups and its list, which may
   * have lost them.
   */
  async function putBack(kept: unknown, id: string, listed: ListingKeys, life: string) {
    if (Number(kept) === 0) return
    const [note, end] = parseArray(kept)
    if (isThere(note)) {
      const actor = actorOf(decodePayload('{}', { note }).note)
      if (actor !== undefined) {
        await joinLookUp(keyOf('actor', actor), id, String(listed.iat), life)
      }
    }
    if (isThere(end) && isIndexed(listed)) {
      await addIndex(listed.statusList, listed.statusIndex, life)
    }
  }

  function point(key: string, id: string, life: string): Promise<unknown> {
    const expiry = life === '' ? [] : ['PX', life]
    return redis.send(['SET', key, storableKey(id), ...expiry], key)
  }

  async function follow(key: string): Promise<AdapterPayload | undefined> {
    const id = await redis.send(['GET', key], key)
    return isThere(id) ? readRecord(keyTo('id', String(id))) : undefined
  }

  return {
    async upsert(id, payload, expiresIn) {
      // Ignore errors of this check. If Redis is down, the write rejects by itself.
      checkOnce().catch(() => {})
      const milliseconds = lifetime(expiresIn)
      const life = milliseconds === undefined ? '' : String(milliseconds)
      const { uid, userCode, grantId } = secondaryKeys(payload)
      const consumed = consumedAt(payload, Date.now())
      const isLive = milliseconds !== 0
      const listed = isLive ? listingKeys(model, payload) : undefined

      const lookUps = listed ? lookUpKeys(listed) : []
      if (listed && !isReserved(listed)) lookUps.push(allKey)
      const iat = listed ? String(listed.iat) : ''
      // No record exists without its look-ups.
      await Promise.all(lookUps.map((key) => joinLookUp(key, id, iat, life)))

      const writes: Promise<unknown>[] = []
      if (isLive && uid) writes.push(point(keyOf('uid', uid), id, life))
      if (isLive && userCode) writes.push(point(keyOf('userCode', userCode), id, life))
      if (isLive && grantId) {
        writes.push(redis.run(scripts.keepScript, keyOf('grant', grantId), storableKey(id), life))
      }
      const fields = [
        encodePayload(payload),
        life,
        consumed > 0 ? String(consumed) : '',
        grantId ? storableKey(grantId) : '',
        iat,
      ]
      const [kept] = await Promise.all([
        redis.run(scripts.upsertScript, keyOf('id', id), ...fields),
        ...writes,
      ])
      if (listed) await putBack(kept, id, listed, life)
    },

    check,

    find: async (id) => readRecord(keyOf('id', id)),
    async findByUid(uid) {
      const payload = await follow(keyOf('uid', uid))
      return payload?.uid === uid ? payload : undefined
    },

    async findByUserCode(userCode) {
      const payload = await follow(keyOf('userCode', userCode))
      return payload?.userCode === userCode ? payload : undefined
    },

    async consume(id) {
      await redis.run(scripts.consumeScript, keyOf('id', id))
    },

    async consumeOnce(id, note, known) {
      const key = keyOf('id', id)
      const actor = actorOf(note)
      const kept = note ? [encodePayload(note)] : []
      // A caller that loses leaves an entry that is stale. `list` checks the record itself.
      const joined = actor === undefined ? undefined : joinActor(id, actor, known)
      const [won] = await Promise.all([
        redis.run(scripts.consumeOnceScript, key, randomUUID(), ...kept),
        joined,
      ])
      return yes(won)
    },

    async endOnce(id, end) {
      const key = keyOf('id', id)
      const read = await readWithLife(key, 'payload')
      if (!read) return false
      const listed = listingKeys(model, decodePayload(read.value, {}))
      // Sets the bit first: refusing early is harmless, late is not.
      if (listed && isIndexed(listed)) {
        await addIndex(listed.statusList, listed.statusIndex, read.life)
      }
      return yes(await redis.run(scripts.endScript, key, randomUUID(), encodePayload(end)))
    },

    async list(lookUp, limit, before) {
      const [key = allKey] = lookUpKeys(lookUp)
      const found: AdapterPayload[] = []
      let after = before ? [String(before.iat), storableKey(before.id)] : ['', '']
      for (let count = limit; ; count = Math.min(count * 2, MAX_RECORDS_AT_ONCE)) {
        const reply = await redis.run(scripts.pageScript, key, ...after, String(count))
        const page = parseEntries(parseArray(reply))
        const payloads = await Promise.all(
          page.map(({ member }) => readRecord(keyTo('id', member))),
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

    endedIndices: async (list) => [...(await followEnded(list, () => readList(list)).next())],

    followEnded: (list) => followEnded(list, () => readList(list)),

    async destroy(id) {
      const grant = await redis.run(scripts.destroyScript, keyOf('id', id))
      if (!isThere(grant)) return
      const key = keyTo('grant', String(grant))
      await redis.send(['ZREM', key, storableKey(id)], key)
    },

    async revokeByGrantId(grantId) {
      const key = keyOf('grant', grantId)
      const grant = storableKey(grantId)
      for (;;) {
        const command = ['ZRANGE', key, '0', String(REVOKE_BATCH - 1)]
        const members = parseArray(await redis.send(command, key))
        if (members.length === 0) return
        // records first, index last, so that an interrupted call can be repeated
        const ids = members.map(String)
        await Promise.all(ids.map((id) => redis.run(scripts.revokeScript, keyTo('id', id), grant)))
        await redis.send(['ZREM', key, ...ids], key)
      }
    },
  }
}

/** The reply of PTTL for a missing key. */
const NOT_THERE = -2

interface Entry {
  readonly member: string
  readonly iat: number
}

/** Members and scores in turn. */
function parseEntries(reply: readonly unknown[]): Entry[] {
  return reply.flatMap((member, at) =>
    at % 2 ? [] : [{ member: String(member), iat: Number(reply[at + 1]) }],
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
