import {
  commandSender,
  type RedisClient,
  type RedisScript,
  runScript,
} from '../../../../../../src/adapters/redis/command.ts'

/** How the audit talks to Redis, the same for every driver. A late reply rejects. */
export interface RedisConnection {
  send(...args: string[]): Promise<unknown>
  /** All keys are of one slot. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>
}

/** How long a reply may take, in milliseconds. */
const REPLY_TIMEOUT = 2000

/**
 * @param key any key of the audit: all of them live on the same node of a cluster
 * @throws TypeError when the client is of no known shape
 */
export function connect(client: RedisClient, key: string): RedisConnection {
  const send = commandSender(client, 'createRedisAudit', REPLY_TIMEOUT)
  return {
    send: (...args) => send(args, key),
    run: (script, keys, args) => runScript(send, script, keys, args),
  }
}

/** @throws when the reply is no list */
export function parseList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw new Error('Redis answered with something that is no list')
}

/** A text; `undefined` where there is none. */
export function parseText(reply: unknown): string | undefined {
  if (reply === null || reply === undefined) return undefined
  if (typeof reply === 'string' || Buffer.isBuffer(reply)) return String(reply)
  throw new Error('Redis answered with something that is no text')
}

/** @throws when the reply is no whole number */
export function parseNumber(reply: unknown): number {
  const number = typeof reply === 'number' ? reply : Number(parseText(reply) ?? Number.NaN)
  if (Number.isSafeInteger(number)) return number
  throw new Error('Redis answered with something that is no number')
}
