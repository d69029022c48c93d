import type { RedisScript } from './redis-scripts.ts'
import { StorageError, storageError } from './storage-error.ts'

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
 * any: what a cluster client needs to know. Rejects with the server's error.
 */
export type RedisCommand = (args: string[], key: string | undefined) => Promise<unknown>

/** A connected client of the user's. */
export type RedisClient = IoredisLike | NodeRedisLike | RedisCommand

/** How the adapter talks to Redis, the same for every driver. It rejects with a StorageError. */
export interface RedisConnection {
  readonly send: RedisCommand
  /**
   * Runs a script over one key, or over several that {@link RedisConnection.together} allows:
   * EVALSHA, and EVAL where the server does not know it yet.
   */
  run(script: RedisScript, keys: string | readonly string[], ...args: string[]): Promise<unknown>
  /**
   * Does a thing by one script over several keys; or, where they may live on several servers
   * (Redis Cluster, a function that routes by key), step by step.
   */
  together<T>(atOnce: () => Promise<T>, stepByStep: () => Promise<T>): Promise<T>
}

/**
 * @param timeoutMs how long a reply may take, in milliseconds; by default without limit
 * @throws TypeError when the client is of no known shape.
 */
export function connect(client: RedisClient, timeoutMs?: number): RedisConnection {
  const unbounded = sender(client)
  const send: RedisCommand = async (args, key) => {
    try {
      const reply = unbounded(args, key)
      return await (timeoutMs === undefined ? reply : within(timeoutMs, reply))
    } catch (error) {
      throw storageError(error, args.slice(1))
    }
  }
  let apart = routesByKey(client)
  return {
    send,
    async run({ sha, source }, keys, ...args) {
      const all = typeof keys === 'string' ? [keys] : keys
      const rest = [String(all.length), ...all, ...args]
      try {
        return await send(['EVALSHA', sha, ...rest], all[0])
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'NOSCRIPT') throw error
        return send(['EVAL', source, ...rest], all[0])
      }
    },
    async together(atOnce, stepByStep) {
      if (apart) return stepByStep()
      try {
        return await atOnce()
      } catch (error) {
        // a single connection to a server in cluster mode, which has done nothing then
        if (!(error instanceof StorageError) || error.code !== 'CROSSSLOT') throw error
        apart = true
        return stepByStep()
      }
    },
  }
}

/** Whether commands may go to several servers. Of a function it is not known. */
function routesByKey(client: RedisClient): boolean {
  return typeof client === 'function' || Reflect.get(client, 'isCluster') === true
}

/** Rejects where a reply takes too long. What the command did is not known then. */
function within<T>(timeoutMs: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error(`Redis did not answer within ${timeoutMs} ms`))
    const timer = setTimeout(tooLate, timeoutMs)
    reply.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

function sender(client: RedisClient): RedisCommand {
  if (typeof client === 'function') return client
  // ioredis has a sendCommand too, of another kind, so `call` decides
  if ('call' in client && typeof client.call === 'function') {
    return ([command = '', ...args]) => client.call(command, ...args)
  }
  if ('sendCommand' in client && typeof client.sendCommand === 'function') {
    return (args) => client.sendCommand(args)
  }
  throw new TypeError(
    'createRedisAdapter: client must be a node-redis client, an ioredis client or a function ' +
      '(args, key) => Promise that sends one command',
  )
}
