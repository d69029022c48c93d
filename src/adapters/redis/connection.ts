import { storageError } from '../storage-error.ts'
import {
  commandSender,
  hasCode,
  type RedisClient,
  type RedisCommand,
  type RedisScript,
  runScript,
} from './command.ts'

/** How the adapter talks to Redis, the same for every driver. It rejects with a StorageError. */
export interface RedisConnection {
  readonly send: RedisCommand
  /** Runs a script over one key, or over several that {@link RedisConnection.together} allows. */
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
  const sendCommand = commandSender(client, timeoutMs)
  const send: RedisCommand = async (args, key) => {
    try {
      return await sendCommand(args, key)
    } catch (error) {
      throw storageError(error, args.slice(1))
    }
  }
  let apart = routesByKey(client)
  return {
    send,
    run: (script, keys, ...args) =>
      runScript(send, script, typeof keys === 'string' ? [keys] : keys, args),
    async together(atOnce, stepByStep) {
      if (apart) return stepByStep()
      try {
        return await atOnce()
      } catch (error) {
        // a single connection to a server in cluster mode, which has done nothing then
        if (!hasCode(error, 'CROSSSLOT')) throw error
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
