import { createHash } from 'node:crypto'
import type { RedisClient } from 'oidc-provider-impersonation/adapters/redis'

/** A Lua script. */
export interface RedisScript {
  readonly source: string
  /** Its SHA-1, for EVALSHA. */
  readonly sha: string
}

export function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** How the audit talks to Redis, the same for every driver. A late reply rejects. */
export interface RedisConnection {
  send(...args: string[]): Promise<unknown>
  /** EVALSHA, and EVAL where the server does not know the script yet. All keys are of one slot. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>
}

/** How long a reply may take, in milliseconds. */
const REPLY_TIMEOUT = 2000

/**
 * @param key any key of the audit: all of them live on the same node of a cluster
 * @throws TypeError when the client is of no known shape
 */
export function connect(client: RedisClient, key: string): RedisConnection {
  const command = commandOf(client, key)
  const send = (...args: string[]) => inTime(command(args))
  return {
    send,
    async run({ sha, source }, keys, args) {
      const rest = [String(keys.length), ...keys, ...args]
      try {
        return await send('EVALSHA', sha, ...rest)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return send('EVAL', source, ...rest)
      }
    },
  }
}

function commandOf(client: RedisClient, key: string): (args: string[]) => Promise<unknown> {
  if (typeof client === 'function') return (args) => client(args, key)
  // ioredis has a sendCommand too, of another kind, so `call` decides.
  if ('call' in client && typeof client.call === 'function') {
    return ([command = '', ...args]) => client.call(command, ...args)
  }
  if ('sendCommand' in client && typeof client.sendCommand === 'function') {
    return (args) => client.sendCommand(args)
  }
  throw new TypeError(
    'createRedisAudit: client must be a node-redis client, an ioredis client or a function ' +
      '(args, key) => Promise that sends one command',
  )
}

/** Rejects where a reply takes too long. What the command did is not known then. */
function inTime<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error(`Redis did not answer within ${REPLY_TIMEOUT} ms`))
    const timer = setTimeout(tooLate, REPLY_TIMEOUT)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** @throws when the reply is no list */
export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw new Error('Redis answered with something that is no list')
}

/** A text; `undefined` where there is none. */
export function textOf(reply: unknown): string | undefined {
  if (reply === null || reply === undefined) return undefined
  if (typeof reply === 'string' || Buffer.isBuffer(reply)) return String(reply)
  throw new Error('Redis answered with something that is no text')
}

/** @throws when the reply is no whole number */
export function numberOf(reply: unknown): number {
  const number = typeof reply === 'number' ? reply : Number(textOf(reply) ?? Number.NaN)
  if (Number.isSafeInteger(number)) return number
  throw new Error('Redis answered with something that is no number')
}
