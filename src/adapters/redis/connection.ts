import { createHash } from 'node:crypto'
import { limitTime } from '../../shared/time.ts'
import { StorageError, storageError } from '../storage-error.ts'

/** The part of an ioredis client (`Redis`, `Cluster`) that is used. */
export interface IoredisLike {
  call(command: string, ...args: string[]): Promise<unknown>
}

/** The part of a node-redis client (`createClient`, version 4 and later) that is used. */
export interface NodeRedisLike {
  sendCommand(args: string[]): Promise<unknown>
}

/**
 * Sends one command, for clients of another shape. `key` is the only key the command touches, if
 * any, which a cluster client needs. Rejects with the server's error.
 */
export type RedisCommand = (args: string[], key: string | undefined) => Promise<unknown>

/** A connected client of the user's. */
export type RedisClient = IoredisLike | NodeRedisLike | RedisCommand

/** A Lua script. */
export interface RedisScript {
  readonly source: string
  /** The SHA-1 of the source, for EVALSHA. */
  readonly sha: string
}

/**
 * The adapter's connection to Redis, the same for every driver. It rejects with a StorageError.
 */
export interface RedisConnection {
  readonly send: RedisCommand
  /** Runs a script over one key, so that it works on a cluster. */
  run(script: RedisScript, key: string, ...args: string[]): Promise<unknown>
}

export function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/**
 * @param timeoutMs - the timeout of a reply, in milliseconds; by default without limit
 * @param isReady - nothing is sent before it has resolved
 * @throws TypeError if the client is of no known shape
 */
export function connect(
  client: RedisClient,
  timeoutMs?: number,
  isReady?: () => Promise<void>,
): RedisConnection {
  const sendUnlimited = senderOf(client)

  const send: RedisCommand = async (args, key) => {
    if (isReady) await isReady()
    try {
      const reply = sendUnlimited(args, key)
      return timeoutMs === undefined ? await reply : await limitTime(timeoutMs, reply, tooLate)
    } catch (error) {
      throw storageError('Redis', error)
    }
  }
  const tooLate = () =>
    new StorageError(`Redis did not answer within ${timeoutMs} ms`, { driverError: 'Error' })

  return {
    send,
    async run({ sha, source }, key, ...args) {
      try {
        return await send(['EVALSHA', sha, '1', key, ...args], key)
      } catch (error) {
        // The script is not loaded on the server yet.
        if (!(error instanceof StorageError) || error.code !== 'NOSCRIPT') throw error
        return send(['EVAL', source, '1', key, ...args], key)
      }
    },
  }
}

/** @throws TypeError if the client is of no known shape */
function senderOf(client: RedisClient): RedisCommand {
  if (typeof client === 'function') return client
  // ioredis has a sendCommand too, of another kind, so `call` decides.
  if ('call' in client && typeof client.call === 'function') {
    return ([command = '', ...args]) => client.call(command, ...args)
  }
  refuseSeveralServers(client)
  if ('sendCommand' in client && typeof client.sendCommand === 'function') {
    return (args) => client.sendCommand(args)
  }
  throw new TypeError(
    'createRedisAdapter.client must be a node-redis client, an ioredis client or a function ' +
      '(args, key) => Promise that sends one command',
  )
}

/**
 * Refuses them, because their `sendCommand` takes other arguments than that of a single
 * connection, and fails on them at the first command.
 *
 * @throws TypeError for a client of node-redis' createSentinel() or createCluster()
 */
function refuseSeveralServers(client: object): void {
  const refuse = (maker: string, ownFunction: string) => {
    throw new TypeError(
      `createRedisAdapter.client is what ${maker} of node-redis made: give a function instead, ${ownFunction}`,
    )
  }
  if ('getRandomNode' in client) {
    refuse('createCluster()', '(args, key) => cluster.sendCommand(key, false, args)')
  }
  if ('getSentinelNode' in client) {
    refuse('createSentinel()', '(args) => sentinel.sendCommand(false, args)')
  }
}

export function isThere(reply: unknown): boolean {
  return reply !== null && reply !== undefined
}

/** @throws if the reply is neither 1 nor 0, because the winner is then unknown */
export function yes(reply: unknown): boolean {
  const number = Number(reply)
  if (reply === null || reply === '' || (number !== 0 && number !== 1)) {
    throw new TypeError('Redis answered with neither 1 nor 0 where one caller wins')
  }
  return number === 1
}

/** @throws if the reply is no array */
export function parseArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError('Redis answered with no array')
  return reply
}

/**
 * Parses the fields of a hash, from an array of names and values, or the object or Map that RESP3
 * makes of it.
 *
 * @throws if the reply is none of them
 */
export function parsePairs(reply: unknown): [string, string][] {
  if (Array.isArray(reply)) {
    return reply.flatMap((name, at) => (at % 2 ? [] : [[String(name), String(reply[at + 1])]]))
  }
  if (typeof reply !== 'object' || reply === null)
    throw new TypeError('Redis answered with no hash')
  const pairs: Iterable<[unknown, unknown]> =
    reply instanceof Map ? reply.entries() : Object.entries(reply)
  return [...pairs].map(([name, value]) => [String(name), String(value)])
}
