// For ioredis and Redis 7, and not for Redis Cluster. Every model but `SubjectToken` stays as the
// community adapter has it: the suite passes with `models: ['SubjectToken']`.

import type { ChainableCommander, Redis } from 'ioredis'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { expiryOf, keyOf, type Listing, listingOf, lookedUp, memberKey } from './record.ts'

const grantable = new Set([
  'AccessToken',
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
])

// The community adapter's list of models that are a hash, and what it lacks.
const consumable = new Set([
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
  'SubjectToken',
])

// HSETNX or HSET alone would bring a key that has just expired back, without a TTL.
const CONSUME_ONCE = `
  if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'end') == 1 then return 0 end
  if redis.call('HSETNX', KEYS[1], 'consumed', ARGV[1]) == 0 then return 0 end
  if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'note', ARGV[2]) end
  return 1`
const CONSUME = `
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  return redis.call('HSET', KEYS[1], 'consumed', ARGV[1])`
const END_ONCE = `
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  return redis.call('HSETNX', KEYS[1], 'end', ARGV[1])`

const seconds = () => Math.floor(Date.now() / 1000)

export class RedisAdapter implements EndingAdapter {
  readonly #redis: Redis
  readonly #model: string

  constructor(model: string, redis: Redis) {
    this.#redis = redis
    this.#model = model
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const multi = this.#redis.multi()
    const actor = memberKey(note?.actor)
    const found = actor && (await this.find(id))
    if (found) {
      const expiresAt = await this.#expiryOf(id)
      this.#list(multi, id, { ...listingOf(this.#model, found), actor }, expiresAt)
    }
    const values = [seconds(), note ? JSON.stringify(note) : '']
    return (await run(multi.eval(CONSUME_ONCE, 1, this.#key(id), ...values))) === 1
  }

  async consume(id: string) {
    await this.#redis.eval(CONSUME, 1, this.#key(id), seconds())
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const key = this.#key(id)
    const text = JSON.stringify(payload)
    const expiresAt = expiryOf(expiresIn)?.getTime()
    const multi = this.#redis.multi()
    if (consumable.has(this.#model)) {
      multi.hset(key, 'payload', text) // no DEL before it: what has happened to it stays as it is
      if (payload.consumed) multi.hsetnx(key, 'consumed', payload.consumed)
    } else {
      multi.set(key, text)
    }
    if (expiresAt === undefined) multi.persist(key)
    else multi.pexpireat(key, expiresAt)
    this.#lookUps(multi, id, payload, expiresAt)
    if (this.#model === 'SubjectToken') {
      const { note, end } = (await this.find(id)) ?? {}
      const listing = listingOf(this.#model, withActor({ ...payload, note }))
      this.#list(multi, id, listing, expiresAt)
      if (end) this.#outlive(multi, this.#ended(listing), expiresAt)
    }
    await run(multi)
  }

  async endOnce(id: string, end: EndNote) {
    const found = await this.find(id)
    if (!found) return false
    const multi = this.#redis.multi()
    const listing = listingOf(this.#model, found)
    if (listing.statusList) {
      multi.sadd(this.#ended(listing), keyOf(id))
      this.#outlive(multi, this.#ended(listing), await this.#expiryOf(id))
    }
    return (await run(multi.eval(END_ONCE, 1, this.#key(id), JSON.stringify(end)))) === 1
  }

  // The sets only say where to look: the records decide.
  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const members = Object.entries(lookedUp(lookUp))
    const [name = 'all', key = ''] = members[0] ?? []
    const set = `${this.#model}:${name}:${key}`
    const newest = before?.iat ?? '+inf'
    const page: AdapterPayload[] = []
    for (const id of await this.#redis.zrange(set, newest, '-inf', 'BYSCORE', 'REV')) {
      const found = await this.#find(`${this.#model}:${id}`)
      if (!found) await this.#redis.zrem(set, id)
      else if (isMatch(listingOf(this.#model, withActor(found)), members)) {
        if (!before || isAfter(found, id, before)) page.push(found)
      }
      if (page.length === limit) break
    }
    return page
  }

  async endedIndices(list: string) {
    const ids = await this.#redis.smembers(this.#ended({ statusList: keyOf(list) }))
    const found = await Promise.all(ids.map((id) => this.#find(`${this.#model}:${id}`)))
    const ended = found.filter((payload) => payload?.end && payload.statusList === list)
    return [...new Set(ended.map((payload) => Number(payload?.statusIndex)))]
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (consumable.has(this.#model)) return this.#find(this.#key(id))
    return parse(await this.#redis.get(this.#key(id)))
  }

  async #find(key: string): Promise<AdapterPayload | undefined> {
    const { payload, consumed, note, end } = await this.#redis.hgetall(key)
    if (!payload) return undefined
    return {
      ...parse(payload),
      // A field of a hash is a string; `consumed` has to be a number.
      ...(consumed && { consumed: Number(consumed) }),
      ...(note && { note: parse(note) }),
      ...(end && { end: parse(end) }),
    }
  }

  /** Into the sets that have the order of a list: by `iat`, then by id. */
  #list(
    multi: ChainableCommander,
    id: string,
    { accountId, actor, clientId, iat }: Listing,
    expiresAt: number | undefined,
  ) {
    if (!accountId) return
    for (const [name, key] of Object.entries({ all: '', accountId, actor, clientId })) {
      if (key === null) continue
      const set = `${this.#model}:${name}:${key}`
      multi.zadd(set, iat ?? 0, keyOf(id))
      this.#outlive(multi, set, expiresAt)
    }
  }

  /** A set lives as long as its longest member. */
  #outlive(multi: ChainableCommander, set: string, expiresAt = Number.MAX_SAFE_INTEGER) {
    multi.pexpireat(set, expiresAt, 'NX').pexpireat(set, expiresAt, 'GT')
  }

  /** In milliseconds; that of a record which has just expired is over. */
  async #expiryOf(id: string) {
    const expiresAt = await this.#redis.pexpiretime(this.#key(id))
    if (expiresAt === -2) return Date.now()
    return expiresAt === -1 ? undefined : expiresAt
  }

  #ended({ statusList }: Pick<Listing, 'statusList'>) {
    return `${this.#model}:ended:${statusList}`
  }

  #lookUps(
    multi: ChainableCommander,
    id: string,
    { uid, userCode, grantId }: AdapterPayload,
    expiresAt = Number.MAX_SAFE_INTEGER,
  ) {
    if (uid) multi.set(`uid:${uid}`, id, 'PXAT', expiresAt)
    if (userCode) multi.set(`userCode:${userCode}`, id, 'PXAT', expiresAt)
    if (!grantId || !grantable.has(this.#model)) return
    multi.rpush(`grant:${grantId}`, this.#key(id)).pexpireat(`grant:${grantId}`, expiresAt, 'GT')
  }

  async findByUid(uid: string) {
    const id = await this.#redis.get(`uid:${uid}`)
    return id === null ? undefined : this.find(id)
  }

  async findByUserCode(userCode: string) {
    const id = await this.#redis.get(`userCode:${userCode}`)
    return id === null ? undefined : this.find(id)
  }

  async destroy(id: string) {
    await this.#redis.del(this.#key(id))
  }

  async revokeByGrantId(grantId: string) {
    const keys = await this.#redis.lrange(`grant:${grantId}`, 0, -1)
    await this.#redis.del(`grant:${grantId}`, ...keys)
  }

  #key(id: string) {
    return `${this.#model}:${this.#model === 'SubjectToken' ? keyOf(id) : id}`
  }
}

async function run(multi: ChainableCommander): Promise<unknown> {
  const replies = (await multi.exec()) ?? []
  for (const [error] of replies) if (error) throw error
  return replies.at(-1)?.[1]
}

function parse(text: string | null): AdapterPayload | undefined {
  return text === null ? undefined : JSON.parse(text)
}

/** The payload, with the actor of its note, where there is one. */
function withActor(payload: AdapterPayload): AdapterPayload {
  const actor: unknown = payload.note && Reflect.get(payload.note, 'actor')
  return actor ? { ...payload, actor } : payload
}

function isMatch(listing: Listing, members: [string, string][]): boolean {
  return (
    listing.accountId !== null && members.every(([name, key]) => Reflect.get(listing, name) === key)
  )
}

function isAfter({ iat = 0 }: AdapterPayload, key: string, before: ListedBefore): boolean {
  return iat < before.iat || (iat === before.iat && key < keyOf(before.id))
}
