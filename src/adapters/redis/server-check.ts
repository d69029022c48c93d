import { boolean, integer, optionalGroup, resolve, valid } from '../../options/rules.ts'
import { type WarningCode, warn } from '../../shared/warn.ts'
import { StorageError } from '../storage-error.ts'
import { connect, parsePairs, type RedisClient, type RedisConnection } from './connection.ts'
import { MAX_TIMEOUT_MS, REPLICA_RULES } from './replicas.ts'

/** What the check asks of the server, in addition to a reply. */
export interface RedisRequirements {
  /**
   * Whether a server that may forget is refused, and not only warned of: one that forgets a consumption
   * or an end when it crashes (no append-only file, or `appendfsync no`), one that throws records away
   * when its memory is full (a `maxmemory-policy` other than `noeviction`), and one that does not tell
   * (INFO forbidden).
   *
   * @defaultValue `false`
   */
  requirePersistence?: boolean
}

const REQUIREMENT_RULES = { requirePersistence: boolean.or(false) }

export const REDIS_RULES = {
  ...REQUIREMENT_RULES,
  client: valid<RedisClient>(
    (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    'a node-redis client, an ioredis client or a function (args, key) => Promise that sends one command',
  ).required('a connected client of Redis'),
  commandTimeoutMs: integer(1, MAX_TIMEOUT_MS).or(2000),
  keyPrefix: valid<string>((value) => typeof value === 'string', 'a string', {
    type: 'string',
  }).or('oidc:'),
  waitForReplicas: optionalGroup(REPLICA_RULES),
}

const CRASH_ADVICE =
  'after a crash a subject token that was redeemed may be redeemed again, so set appendonly to yes and appendfsync to everysec or always'

/**
 * Asks the server how it persists data, and warns: with the code
 * `REDIS_MAY_EVICT` when `maxmemory-policy` lets it throw records away before their time, with
 * `REDIS_MAY_FORGET` when it may come back from a crash without the last consumptions, and with
 * `REDIS_PERSISTENCE_UNKNOWN` when it does not tell (INFO or CONFIG forbidden, a proxy). On a
 * cluster it asks the one node that the client picks.
 *
 * @throws StorageError when the server cannot be reached.
 * @throws Error with `requirePersistence` when the server may forget or evict, in one sentence.
 */
export async function checkRedis(
  client: RedisClient,
  requirements?: RedisRequirements,
): Promise<void> {
  return checkServer(connect(client), resolve(REQUIREMENT_RULES, requirements, 'checkRedis'))
}

/** The same over a connection whose replies have a time-out. */
export async function checkServer(
  redis: RedisConnection,
  { requirePersistence }: Required<RedisRequirements>,
): Promise<void> {
  const info = await ask(redis, ['INFO'])
  const aof = field(info, 'aof_enabled')
  const problems = [
    aof === '1' ? await fsyncProblem(redis) : aofProblem(aof),
    evictionProblem(field(info, 'maxmemory_policy')),
  ]
  for (const problem of problems) {
    if (!problem) continue
    if (requirePersistence && problem.refused) {
      throw new Error(`createRedisAdapter: requirePersistence: ${problem.sentence}`)
    }
    if (problem.code) warn(problem.code, problem.sentence)
  }
}

interface Problem {
  /** Of the warning; absent where there is none. */
  readonly code?: WarningCode
  readonly sentence: string
  /** Whether `requirePersistence` refuses it. */
  readonly refused: boolean
}

function evictionProblem(policy: string | undefined): Problem | undefined {
  if (policy === 'noeviction') return undefined
  if (policy === undefined) {
    const sentence =
      'Redis does not tell its maxmemory-policy (INFO): with another one than noeviction it throws away what has not expired.'
    return { sentence, refused: true }
  }
  const sentence =
    `Redis runs with maxmemory-policy ${policy}: when its memory is full it throws away sessions, grants and tokens that have not expired, ` +
    'and impersonations, which cannot be ended then. Set maxmemory-policy to noeviction, so that it refuses writes instead.'
  return { code: 'REDIS_MAY_EVICT', sentence, refused: true }
}

function aofProblem(aof: string | undefined): Problem {
  if (aof !== undefined) {
    const sentence = `Redis has no append-only file: ${CRASH_ADVICE}.`
    return { code: 'REDIS_MAY_FORGET', sentence, refused: true }
  }
  const sentence = `Redis does not tell whether it has an append-only file (INFO): without one, ${CRASH_ADVICE}.`
  return { code: 'REDIS_PERSISTENCE_UNKNOWN', sentence, refused: true }
}

async function fsyncProblem(redis: RedisConnection): Promise<Problem | undefined> {
  const reply = await ask(redis, ['CONFIG', 'GET', 'appendfsync'])
  const policy = reply && new Map(parsePairs(reply)).get('appendfsync')
  if (policy === 'no') {
    const sentence = `Redis leaves it to the operating system when its append-only file reaches the disk (appendfsync no): ${CRASH_ADVICE}.`
    return { code: 'REDIS_MAY_FORGET', sentence, refused: true }
  }
  if (policy === 'always' || policy === 'everysec') return undefined
  // The file survives the end of the process whatever appendfsync is, so it is good enough.
  const sentence =
    'Redis has an append-only file and does not tell how often it reaches the disk (CONFIG GET appendfsync): it should be everysec or always.'
  return { code: 'REDIS_PERSISTENCE_UNKNOWN', sentence, refused: false }
}

/** The reply; `undefined` where the server itself refuses to give one (NOPERM, unknown command). */
async function ask(redis: RedisConnection, command: string[]): Promise<unknown> {
  try {
    return await redis.send(command, undefined)
  } catch (error) {
    if (error instanceof StorageError && /^(NOPERM|ERR)$/.test(error.code ?? '')) return undefined
    throw error
  }
}

function field(info: unknown, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(String(info))?.[1]
}
