import { randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from './contract.ts'
import {
  type AdapterFactory,
  consumedAt,
  decodePayload,
  encodePayload,
  lifetime,
  secondaryKeys,
  storableKey,
} from './record.ts'
import { checkRedis, connect, type RedisClient, type RedisConnection } from './redis-connection.ts'
import { confirmReplicas, type WaitForReplicas } from './redis-replicas.ts'
import * as scripts from './redis-scripts.ts'

export type { IoredisLike, NodeRedisLike, RedisClient, RedisCommand } from './redis-connection.ts'
export { checkRedis } from './redis-connection.ts'
export type { WaitForReplicas } from './redis-replicas.ts'

/** Options of {@link createRedisAdapter}. */
export interface RedisAdapterOptions {
  /**
   * A connected client: node-redis (`createClient`), ioredis (`Redis` or `Cluster`), or a function
   * that sends one command. For node-redis' `createCluster`:
   * `(args, key) => cluster.sendCommand(key, false, args)`.
   *
   * Let it fail while it is not connected (node-redis `disableOfflineQueue`, ioredis
   * `enableOfflineQueue: false`) rather than wait.
   */
  client: RedisClient

  /**
   * How long a reply may take, in milliseconds: at least 1. Then the method rejects, and what the
   * command did is not known. A claim whose reply is late is lost rather than repeated.
   *
   * @defaultValue `2000`
   */
  commandTimeoutMs?: number

  /**
   * What all keys start with. Deployments that share a Redis need different ones.
   *
   * @defaultValue `'oidc:'`
   */
  keyPrefix?: string

  /**
   * Makes `consumeOnce` wait until that many replicas have the claim, and reject when too few
   * answered in time. Narrows, and does not close, the gap at a failover.
   *
   * @defaultValue none: a claim counts once the primary has it
   */
  waitForReplicas?: WaitForReplicas
}

/** The factory that {@link createRedisAdapter} returns. */
export interface RedisAdapterFactory extends AdapterFactory {
  /**
   * Asks the server whether it may evict records, as {@link checkRedis} does: at start-up, to have
   * the warning there and to learn that the server cannot be reached. Otherwise the first `upsert`
   * does it on the side. However often it is called, it asks once.
   */
  check(): Promise<void>
}

/** How many records of a grant are revoked at once. */
const REVOKE_BATCH = 100

/**
 * An adapter for Redis 6.2 and later and Valkey. A record's payload and its claim are one hash
 * under one key, so what is lost is lost together and a token never comes back unclaimed.
 *
 * **Failover:** at most once per primary. Redis replicates asynchronously: a replica that becomes
 * primary without having heard of a claim lets the token be claimed again. `waitForReplicas`
 * makes that less likely; who cannot live with it uses PostgreSQL.
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
  const { client, keyPrefix = 'oidc:', waitForReplicas, commandTimeoutMs = 2000 } = options
  if (!Number.isSafeInteger(commandTimeoutMs) || commandTimeoutMs < 1) {
    throw new TypeError('createRedisAdapter: commandTimeoutMs must be an integer over 0')
  }
  const connection = connect(client, commandTimeoutMs + (waitForReplicas?.timeoutMs ?? 0))
  const confirm = waitForReplicas && confirmReplicas(connection, client, waitForReplicas)
  let checked: Promise<void> | undefined

  const check = () => {
    checked ??= checkRedis(client)
    return checked
  }
  // a failing check is no failing write: the write says so itself
  const checkOnce = () => void (checked ?? check().catch(() => {}))
  const factory = (model: string): SingleUseAdapter =>
    new RedisAdapter(connection, `${keyPrefix}${model}:`, checkOnce, confirm)

  return Object.assign(factory, { check })
}

type Confirm = ReturnType<typeof confirmReplicas>

class RedisAdapter implements SingleUseAdapter {
  readonly claimsEveryModel = true

  readonly #redis: RedisConnection
  readonly #prefix: string
  readonly #check: () => void
  readonly #confirm: Confirm | undefined

  constructor(
    redis: RedisConnection,
    prefix: string,
    check: () => void,
    confirm: Confirm | undefined,
  ) {
    this.#redis = redis
    this.#prefix = prefix
    this.#check = check
    this.#confirm = confirm
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    this.#check()
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
    return decodePayload(payload, Number(consumed ?? 0))
  }
}

/** @throws when the reply is neither 1 nor 0: then nobody knows who won. */
function yes(reply: unknown): boolean {
  const number = Number(reply)
  if (reply === null || reply === '' || (number !== 0 && number !== 1)) {
    throw new TypeError('Redis answered the claim with neither 1 nor 0')
  }
  return number === 1
}

const processName = randomBytes(12).toString('base64url')
let attempts = 0

/** A name for one attempt to claim that no other attempt anywhere has. */
function attempt(): string {
  attempts += 1
  return `${processName}-${attempts}`
}
