import type { ChainableCommander, Redis } from 'ioredis'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { expiryOf } from './record.ts'

const grantable = new Set([
  'AccessToken',
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
])

// #region recipe
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
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  return redis.call('HSETNX', KEYS[1], 'consumed', ARGV[1])`
const CONSUME = `
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  return redis.call('HSET', KEYS[1], 'consumed', ARGV[1])`

const seconds = () => Math.floor(Date.now() / 1000)

export class RedisAdapter implements SingleUseAdapter {
  readonly #redis: Redis
  readonly #model: string

  constructor(model: string, redis: Redis) {
    this.#redis = redis
    this.#model = model
  }

  async consumeOnce(id: string) {
    return (await this.#redis.eval(CONSUME_ONCE, 1, this.#key(id), seconds())) === 1
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
      multi.hset(key, 'payload', text) // no DEL before it: the field `consumed` stays as it is
      if (payload.consumed) multi.hsetnx(key, 'consumed', payload.consumed)
    } else {
      multi.set(key, text)
    }
    if (expiresAt === undefined) multi.persist(key)
    else multi.pexpireat(key, expiresAt)
    this.#lookUps(multi, id, payload, expiresAt)
    await multi.exec()
  }

  async find(id: string) {
    if (!consumable.has(this.#model)) return parse(await this.#redis.get(this.#key(id)))
    const { payload, consumed } = await this.#redis.hgetall(this.#key(id))
    // A field of a hash is a string; `consumed` has to be a number.
    if (!payload) return undefined
    return { ...parse(payload), ...(consumed && { consumed: Number(consumed) }) }
  }
  // #endregion

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
    return `${this.#model}:${id}`
  }
}

function parse(text: string | null): AdapterPayload | undefined {
  return text === null ? undefined : JSON.parse(text)
}
