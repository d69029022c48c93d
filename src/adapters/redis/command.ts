import { createHash } from 'node:crypto'
import { limitTime } from '../../shared/time.ts'

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

/** A Lua script. */
export interface RedisScript {
  readonly source: string
  /** Its SHA-1, for EVALSHA. */
  readonly sha: string
}

export function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/**
 * Sends commands by the client. A late reply rejects.
 *
 * @param timeoutMs how long a reply may take, in milliseconds; by default without limit
 * @throws TypeError when the client is of no known shape
 */
export function commandSender(client: RedisClient, timeoutMs?: number): RedisCommand {
  const send = unlimitedSender(client)
  if (timeoutMs === undefined) return send
  const tooLate = () => new Error(`Redis did not answer within ${timeoutMs} ms`)
  return async (args, key) => limitTime(timeoutMs, send(args, key), tooLate)
}

/** EVALSHA, and EVAL where the server does not know the script yet. All keys are of one slot. */
export async function runScript(
  send: RedisCommand,
  { sha, source }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await send(['EVALSHA', sha, ...rest], keys[0])
  } catch (error) {
    if (!hasCode(error, 'NOSCRIPT')) throw error
    return send(['EVAL', source, ...rest], keys[0])
  }
}

/** Whether the server refused a command for this reason: the `code` of an error, or its first word. */
export function hasCode(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === code) || error.message.startsWith(`${code} `)
}

function unlimitedSender(client: RedisClient): RedisCommand {
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
    'createRedisAdapter: client must be a node-redis client, an ioredis client or a function ' +
      '(args, key) => Promise that sends one command',
  )
}

/**
 * Their `sendCommand` takes other arguments than that of a single connection, and fails on them at the
 * first command.
 *
 * @throws TypeError for what createSentinel() or createCluster() of node-redis made
 */
function refuseSeveralServers(client: object): void {
  const refuse = (maker: string, ownFunction: string) => {
    throw new TypeError(
      `createRedisAdapter: client is what ${maker} of node-redis made: give a function instead, ${ownFunction}`,
    )
  }
  if ('getRandomNode' in client) {
    refuse('createCluster()', '(args, key) => cluster.sendCommand(key, false, args)')
  }
  if ('getSentinelNode' in client) {
    refuse('createSentinel()', '(args) => sentinel.sendCommand(false, args)')
  }
}
