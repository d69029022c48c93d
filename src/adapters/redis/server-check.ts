import { boolean, integer, valid } from '../../options/rules.ts'
import { type WarningCode, warn } from '../../shared/warn.ts'
import { StorageError } from '../storage-error.ts'
import type { RedisClient, RedisConnection } from './connection.ts'

/** The requirements for the server, in addition to a reply. */
export interface RedisRequirements {
  /**
   * Refuses a server that may lose records, instead of a warning: without an append-only file, with
   * another `maxmemory-policy` than `noeviction`, or without INFO.
   * @defaultValue `false`
   */
  requirePersistence?: boolean
}

/** The longest time-out that a timer of Node can have: 24.8 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const REDIS_RULES = {
  requirePersistence: boolean.or(false),
  client: valid<RedisClient>(
    (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    'a node-redis client, an ioredis client or a function (args, key) => Promise that sends one command',
  ).required('a connected client of Redis'),
  commandTimeoutMs: integer(1, MAX_TIMEOUT_MS).or(2000),
  keyPrefix: valid<string>((value) => typeof value === 'string', 'a string').or('oidc:'),
}

/**
 * Checks how the server persists data, and warns. The code is `REDIS_MAY_EVICT` if
 * `maxmemory-policy` lets it evict records before their time, `REDIS_MAY_FORGET` if it has no
 * append-only file, and `REDIS_PERSISTENCE_UNKNOWN` if it does not report it (INFO forbidden, a
 * proxy). On a cluster it checks the one node that the client picks.
 *
 * @throws StorageError if the server cannot be reached
 * @throws Error with `requirePersistence` if the server may forget or evict, in one sentence
 */
export async function checkServer(
  redis: RedisConnection,
  requirePersistence: boolean,
): Promise<void> {
  for (const { code, sentence } of problemsOf(await readInfo(redis))) {
    if (requirePersistence) throw new Error(`createRedisAdapter: requirePersistence: ${sentence}`)
    warn(code, sentence)
  }
}

interface Problem {
  readonly code: WarningCode
  readonly isThere: boolean
  readonly sentence: string
}

function problemsOf(info: string): readonly Problem[] {
  const aof = field(info, 'aof_enabled')
  const policy = field(info, 'maxmemory_policy')
  const problems: readonly Problem[] = [
    {
      code: 'REDIS_PERSISTENCE_UNKNOWN',
      isThere: aof === undefined || policy === undefined,
      sentence:
        'Redis does not tell whether it has an append-only file and what it evicts (INFO): set appendonly to yes and maxmemory-policy to noeviction.',
    },
    {
      code: 'REDIS_MAY_FORGET',
      isThere: aof === '0',
      sentence:
        'Redis has no append-only file: after a crash a subject token that was redeemed may be redeemed again, so set appendonly to yes and appendfsync to everysec or always.',
    },
    {
      code: 'REDIS_MAY_EVICT',
      isThere: policy !== undefined && policy !== 'noeviction',
      sentence: `Redis runs with maxmemory-policy ${policy}: when its memory is full it throws away sessions, grants and tokens that have not expired, and impersonations, which cannot be ended then. Set maxmemory-policy to noeviction, so that it refuses writes instead.`,
    },
  ]
  return problems.filter(({ isThere }) => isThere)
}

/** Reads the server's INFO; empty if it refuses (NOPERM, unknown command). */
async function readInfo(redis: RedisConnection): Promise<string> {
  try {
    return String(await redis.send(['INFO'], undefined))
  } catch (error) {
    if (error instanceof StorageError && /^(NOPERM|ERR)$/.test(error.code ?? '')) return ''
    throw error
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
