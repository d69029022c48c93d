import { randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { AdapterFactory, SingleUseAdapter } from './contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  lifetime,
  secondaryKeys,
  storableKey,
} from './record.ts'
import { checkServer, onceChecked } from './redis-check.ts'
import { connect, type RedisConnection } from './redis-connection.ts'
import { type RedisAdapterOptions, resolveRedisOptions } from './redis-options.ts'
import { confirmReplicas } from './redis-replicas.ts'
import * as scripts from './redis-scripts.ts'

export { checkRedis, type RedisRequirements } from './redis-check.ts'
export type { IoredisLike, NodeRedisLike, RedisClient, RedisCommand } from './redis-connection.ts'
export type { RedisAdapterOptions } from './redis-options.ts'
export type { WaitForReplicas } from './redis-replicas.ts'

/** The factory that {@link createRedisAdapter} returns. */
export interface RedisAdapterFactory extends AdapterFactory {
  /**
   * Asks the server whether it may evict or forget records, as {@link checkRedis} does: at
   * start-up, to have the warning there and to learn that the server cannot be reached. Otherwise
   * the first `upsert` does it on the side; with `requirePersistence` every method waits for the
   * check and rejects while it fails. A successful result is kept; a call of this asks again and
   * replaces it.
   */
  check(): Promise<void>
}

/** How many records of a grant are revoked at once. */
const REVOKE_BATCH = 100

/**
 * An adapter for Redis 6.2 and later and Valkey. A record's payload and its consumption are one hash
 * under one key, so what is evicted is lost together.
 *
 * **Crash:** with an append-only file a consumption is there again after a restart. From a snapshot the
 * server comes back as it was when it was taken: a token that was redeemed since can be redeemed
 * again. `requirePersistence` refuses such a server.
 *
 * **Failover:** at most once per primary. Redis replicates asynchronously: a replica that becomes
 * primary without having heard of a consumption lets the token be redeemed again. `waitForReplicas`
 * makes that less likely; PostgreSQL avoids it.
 *
 * **Cluster:** every command and script touches a single key, so all methods work, without hash
 * tags. `upsert` of a record with a uid, user code or grant writes up to four keys, each
 * atomically but not together: it rejects unless all of them were written, and a stale index
 * entry is harmless, since each look-up compares the record with what it was looked up by.
 *
 * @example
 * const client = await createClient({ url, disableOfflineQueue: true }).connect()
 * new Provider(issuer, { ...configuration, adapter: createRedisAdapter({ client }) })
 *
 * @throws TypeError when an option is wrong.
 */
export function createRedisAdapter(options: RedisAdapterOptions): RedisAdapterFactory {
  const { client, keyPrefix, waitForReplicas, commandTimeoutMs, requirePersistence } =
    resolveRedisOptions(options)
  const connection = connect(client, commandTimeoutMs + (waitForReplicas?.timeoutMs ?? 0))
  const confirm = waitForReplicas && confirmReplicas(connection, client, waitForReplicas)
  let checked: Promise<void> | undefined

  const check = () => {
    const asked = checkServer(connection, { requirePersistence }).catch((error) => {
      checked = undefined
      throw error
    })
    checked = asked
    return asked
  }
  const checkOnce = () => checked ?? check()
  const guarded = requirePersistence ? onceChecked(checkOnce, connection) : connection
  const factory = (model: string): SingleUseAdapter =>
    new RedisAdapter(guarded, `${keyPrefix}${model}:`, { check, checkOnce }, confirm)

  return Object.assign(factory, { check })
}

/** `check` always asks the server; `checkOnce` only if no check has succeeded yet. */
type Checks = Readonly<Record<'check' | 'checkOnce', () => Promise<void>>>
type Confirm = ReturnType<typeof confirmReplicas>

class RedisAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #redis: RedisConnection
  readonly #prefix: string
  readonly #checks: Checks
  readonly #confirm: Confirm | undefined

  constructor(
    redis: RedisConnection,
    prefix: string,
    checks: Checks,
    confirm: Confirm | undefined,
  ) {
    this.#redis = redis
    this.#prefix = prefix
    this.#checks = checks
    this.#confirm = confirm
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    // Ignore errors of this check. If Redis is down, the write rejects by itself.
    this.#checks.checkOnce().catch(() => {})
    const milliseconds = lifetime(expiresIn)
    const life = milliseconds === undefined ? '' : String(milliseconds)
    const { uid, userCode, grantId } = secondaryKeys(payload)
    const consumed = consumedAt(payload, Date.now())

    const writes = [
      this.#redis.run(
        scripts.upsertScript,
        this.#key('id', id),
        life,
        encodePayload(payload),
        consumed > 0 ? String(consumed) : '',
        grantId ? storableKey(grantId) : '',
      ),
    ]
    if (milliseconds !== 0) {
      if (uid) writes.push(this.#point(this.#key('uid', uid), id, life))
      if (userCode) writes.push(this.#point(this.#key('userCode', userCode), id, life))
      if (grantId) {
        const key = this.#key('grant', grantId)
        writes.push(this.#redis.run(scripts.joinGrantScript, key, storableKey(id), life))
      }
    }
    await Promise.all(writes)
  }

  check(): Promise<void> {
    return this.#checks.check()
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#read(this.#key('id', id))
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const payload = await this.#follow(this.#key('uid', uid))
    return payload?.uid === uid ? payload : undefined
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const payload = await this.#follow(this.#key('userCode', userCode))
    return payload?.userCode === userCode ? payload : undefined
  }

  async consume(id: string): Promise<void> {
    await this.#redis.run(scripts.consumeScript, this.#key('id', id))
  }

  async consumeOnce(id: string): Promise<boolean> {
    const key = this.#key('id', id)
    const claim = async () => yes(await this.#redis.run(scripts.claimScript, key, attempt()))
    return this.#confirm ? this.#confirm(key, claim) : claim()
  }

  async destroy(id: string): Promise<void> {
    const grant = await this.#redis.run(scripts.destroyScript, this.#key('id', id))
    if (grant === null || grant === undefined) return
    const key = `${this.#prefix}grant:${String(grant)}`
    await this.#redis.send(['ZREM', key, storableKey(id)], key)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const key = this.#key('grant', grantId)
    const grant = storableKey(grantId)
    for (;;) {
      const members = await this.#redis.send(['ZRANGE', key, '0', String(REVOKE_BATCH - 1)], key)
      if (!Array.isArray(members)) throw new TypeError('Redis answered ZRANGE with no array')
      if (members.length === 0) return
      // records first, index last: what is interrupted here can be done again
      const ids = members.map(String)
      await Promise.all(
        ids.map((id) => this.#redis.run(scripts.revokeScript, `${this.#prefix}id:${id}`, grant)),
      )
      await this.#redis.send(['ZREM', key, ...ids], key)
    }
  }

  #key(index: 'id' | 'uid' | 'userCode' | 'grant', value: string): string {
    return `${this.#prefix}${index}:${storableKey(value)}`
  }

  #point(key: string, id: string, life: string): Promise<unknown> {
    const expiry = life === '' ? [] : ['PX', life]
    return this.#redis.send(['SET', key, storableKey(id), ...expiry], key)
  }

  async #follow(key: string): Promise<AdapterPayload | undefined> {
    const id = await this.#redis.send(['GET', key], key)
    return id === null || id === undefined ? undefined : this.#read(`${this.#prefix}id:${id}`)
  }

  async #read(key: string): Promise<AdapterPayload | undefined> {
    const reply = await this.#redis.send(['HMGET', key, 'payload', 'consumed'], key)
    if (!Array.isArray(reply)) throw new TypeError('Redis answered HMGET with no array')
    const [payload, consumed]: unknown[] = reply
    if (payload === null || payload === undefined) return undefined
    return decodePayload(payload, { consumed: Number(consumed ?? 0) })
  }
}

/** @throws when the reply is neither 1 nor 0: it is not known then who won. */
function yes(reply: unknown): boolean {
  const number = Number(reply)
  if (reply === null || reply === '' || (number !== 0 && number !== 1)) {
    throw new TypeError('Redis answered consumeOnce with neither 1 nor 0')
  }
  return number === 1
}

const processName = randomBytes(12).toString('base64url')
let attempts = 0

/** A unique name for one attempt to consume. */
function attempt(): string {
  attempts += 1
  return `${processName}-${attempts}`
}
