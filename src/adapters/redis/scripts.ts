import { MAX_RETENTION_SECONDS } from '../record.ts'
import { script } from './connection.ts'
import { BITS, CHUNK_LENGTH, CHUNK_SIZE, FIELD_PREFIX, ZERO } from './ended-indices.ts'

/**
 * Adds an ended index to the hash of its status list: a bit in a field for 512 of them. The life
 * of the list's record is its own. Without a record, the hash lives as long as the longest of the
 * records that ended. Its bits are never cleared, because no index is used again. ARGV: index,
 * life of the record that ended.
 */
export const addIndexScript = script(`
local function setBit(key, index)
  local field = '${FIELD_PREFIX}' .. math.floor(index / ${CHUNK_SIZE})
  local at = index % ${CHUNK_SIZE}
  local bits = redis.call('HGET', key, field) or string.rep('0', ${CHUNK_LENGTH})
  local place = math.floor(at / ${BITS}) + 1
  local value = bit.bor(bits:byte(place) - ${ZERO}, bit.lshift(1, at % ${BITS}))
  local left, right = bits:sub(1, place - 1), bits:sub(place + 1)
  redis.call('HSET', key, field, left .. string.char(${ZERO} + value) .. right)
end
local isNew = redis.call('EXISTS', KEYS[1]) == 0
setBit(KEYS[1], ARGV[1])
if redis.call('HEXISTS', KEYS[1], 'payload') == 1 then return 1 end
if ARGV[2] == '' then return redis.call('PERSIST', KEYS[1]) end
local remaining = redis.call('PTTL', KEYS[1])
if isNew or (remaining >= 0 and remaining < tonumber(ARGV[2])) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
`)

/**
 * Adds a record to a look-up, a sorted set scored by the second of issue. ARGV: member, second of
 * issue, life in milliseconds. One write in sixteen removes records beyond the maximum age.
 */
export const joinScript = script(`
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
local time = redis.call('TIME')
if time[2] % 16 == 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. time[1] - ${MAX_RETENTION_SECONDS})
end
return 1
`)

/**
 * `consumeOnce`: exists, unset, set. HSETNX alone would bring a key that has just expired back, as
 * a key without a TTL. Inside a script the clock does not advance, so an existing key cannot
 * expire while the script runs. ARGV[1] names the attempt, so that a driver that sends a command
 * again after a lost reply gets that reply. ARGV[2] is the note, if there is one.
 */
export const consumeOnceScript = script(`
if redis.call('HEXISTS', KEYS[1], 'payload') == 0 then return 0 end
local fate = redis.call('HMGET', KEYS[1], 'consuming', 'end')
if fate[1] == ARGV[1] then return 1 end
if fate[2] then return 0 end
if redis.call('HSETNX', KEYS[1], 'consumed', redis.call('TIME')[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'consuming', ARGV[1])
if ARGV[2] then redis.call('HSET', KEYS[1], 'note', ARGV[2]) end
return 1
`)

/**
 * `endOnce`: exists, unset, set, with the name of the attempt as above. ARGV: attempt, end.
 */
export const endScript = script(`
if redis.call('HEXISTS', KEYS[1], 'payload') == 0 then return 0 end
local fate = redis.call('HMGET', KEYS[1], 'ending', 'end')
if fate[2] then return fate[1] == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'end', ARGV[2], 'ending', ARGV[1])
return 1
`)

/** Marks a record as consumed. HSET alone would bring an expired one back without a TTL. */
export const consumeScript = script(`
if redis.call('HEXISTS', KEYS[1], 'payload') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'consumed', redis.call('TIME')[1])
return 1
`)

/**
 * Replaces a record. ARGV: payload, life in milliseconds or '', consumed or '', grantId or '', and
 * the second of issue, '' for a record that is not listed. Out of memory, Redis refuses a script's
 * first write and none after it. A consumption and an end stay, and neither a second caller nor a
 * driver that sends this again after a lost reply undoes them. An expired key does not exist, so
 * none of its fields remain.
 *
 * The reply is the note and the end that a listed record has kept, or 0 for neither.
 */
export const upsertScript = script(`
local key = KEYS[1]
if ARGV[2] == '0' then redis.call('DEL', key) return 0 end
redis.call('HSET', key, 'payload', ARGV[1])
redis.call('HDEL', key, 'grantId')
if ARGV[3] ~= '' then redis.call('HSETNX', key, 'consumed', ARGV[3]) end
if ARGV[4] ~= '' then redis.call('HSET', key, 'grantId', ARGV[4]) end
if ARGV[2] == '' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, ARGV[2]) end
if ARGV[5] == '' then return 0 end
redis.call('HSET', key, 'iat', ARGV[5])
local kept = redis.call('HMGET', key, 'note', 'end')
return (kept[1] or kept[2]) and kept or 0
`)

/**
 * Returns a part of a look-up, newest first, as members and scores in turn. It is ARGV[3] of the
 * members after the member ARGV[2] of the second ARGV[1], present or not, or from the start if
 * both are ''. Members of one second are in order of their bytes. Lua's own comparison goes by the
 * locale.
 */
export const pageScript = script(`
local function below(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local from = 0
if ARGV[1] ~= '' then
  from = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
  local high = from + redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
  while from < high do
    local middle = math.floor((from + high) / 2)
    if below(redis.call('ZREVRANGE', KEYS[1], middle, middle)[1], ARGV[2]) then
      high = middle
    else
      from = middle + 1
    end
  end
end
return redis.call('ZREVRANGE', KEYS[1], from, from + ARGV[3] - 1, 'WITHSCORES')
`)

/** Removes a record, and returns its grant. */
export const destroyScript = script(`
local grant = redis.call('HGET', KEYS[1], 'grantId')
redis.call('DEL', KEYS[1])
return grant
`)

/**
 * Removes a record if it still belongs to the grant ARGV[1], because it may have been replaced
 * since.
 */
export const revokeScript = script(`
if redis.call('HGET', KEYS[1], 'grantId') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`)

/**
 * Adds ARGV[1] to a sorted set scored by expiry. Expired members are removed, and the set lives as
 * long as its longest member. ARGV[2]: life in milliseconds or ''.
 */
export const keepScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local score = ARGV[2] == '' and '+inf' or string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], score, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if last == 'inf' then return redis.call('PERSIST', KEYS[1]) end
return redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last))
`)
