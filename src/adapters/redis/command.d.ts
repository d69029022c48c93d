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
export declare function script(source: string): RedisScript
/**
 * Sends commands by the client. A late reply rejects.
 *
 * @param caller the function that has `client` as an option, for errors
 * @param timeoutMs how long a reply may take, in milliseconds; by default without limit
 * @throws TypeError when the client is of no known shape
 */
export declare function commandSender(
  client: RedisClient,
  caller: string,
  timeoutMs?: number,
): RedisCommand
/** EVALSHA, and EVAL where the server does not know the script yet. All keys are of one slot. */
export declare function runScript(
  send: RedisCommand,
  { sha, source }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown>
/** Whether the server refused a command for this reason: the `code` of an error, or its first word. */
export declare function hasCode(error: unknown, code: string): boolean
