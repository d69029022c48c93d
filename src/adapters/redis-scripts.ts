import { createHash } from 'node:crypto'

/** A Lua script over a single key, so that it runs on Redis Cluster as well. */
export interface RedisScript {
  readonly source: string
  /** The script's SHA-1, for EVALSHA. */
  readonly sha: string
}

function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/**
 * `consumeOnce`: exists, unset, set. HSETNX alone would bring a key that has just expired back, as a
 * key without a TTL; inside a script the clock does not advance, so an existing key cannot expire
 * while the script runs. ARGV[1] names the attempt: a driver that sends a command again after a
 * lost reply gets the answer that was lost.
 */
export const claimScript = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HSETNX', KEYS[1], 'consumed', redis.call('TIME')[1]) == 1 then
  redis.call('HSET', KEYS[1], 'claim', ARGV[1])
  return 1
end
if redis.call('HGET', KEYS[1], 'claim') == ARGV[1] then return 1 end
return 0
`)

/** Marks a record as consumed; HSET alone would bring an expired one back without a TTL. */
export const consumeScript = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'consumed', redis.call('TIME')[1])
return 1
`)

/**
 * Replaces a record. ARGV: life in milliseconds or '', payload, consumed or '', grantId or ''.
 * HSET comes first: out of memory, Redis refuses a script's first write and none after it. What
 * was consumed stays so: neither a second caller nor a driver that sends this again after a lost
 * reply undoes a consumption. An expired key does not exist, so none of its fields remain.
 */
export const upsertScript = script(`
if ARGV[1] == '0' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'payload', ARGV[2])
redis.call('HDEL', KEYS[1], 'grantId')
if ARGV[3] ~= '' then redis.call('HSETNX', KEYS[1], 'consumed', ARGV[3]) end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'grantId', ARGV[4]) end
if ARGV[1] == '' then return redis.call('PERSIST', KEYS[1]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])
`)

/** Removes a record and returns the grant it belonged to. */
export const destroyScript = script(`
local grant = redis.call('HGET', KEYS[1], 'grantId')
redis.call('DEL', KEYS[1])
return grant
`)

/** Removes a record if it still belongs to the grant ARGV[1]: it may have been replaced since. */
export const revokeScript = script(`
if redis.call('HGET', KEYS[1], 'grantId') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`)

/**
 * Adds the record ARGV[1] to a grant's members, a sorted set scored by expiry. Members that have
 * expired leave it, and the set lives as long as its longest member. ARGV[2]: life in
 * milliseconds or ''.
 */
export const joinGrantScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local score = ARGV[2] == '' and '+inf' or string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], score, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if last == 'inf' then return redis.call('PERSIST', KEYS[1]) end
return redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last))
`)
