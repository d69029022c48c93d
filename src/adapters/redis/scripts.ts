import { script } from './connection.ts'
import { BITS, CHUNK_LENGTH, CHUNK_SIZE, FIELD_PREFIX, ZERO } from './ended-indices.ts'

/** The server's clock, in milliseconds. */
const CLOCK_LUA = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * Adds a member to a sorted set scored by expiry. Members that have expired leave it, and the set
 * lives as long as its longest member. `life` in milliseconds or ''.
 */
const KEEP_LUA = `${CLOCK_LUA}
local function keep(key, member, life)
  local score = life == '' and '+inf' or string.format('%.0f', now + life)
  redis.call('ZADD', key, score, member)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
  local last = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  if last == 'inf' then return redis.call('PERSIST', key) end
  return redis.call('PEXPIREAT', key, string.format('%.0f', last))
end
`

/**
 * Adds an ended index to the hash of its status list: a bit in a field for 512 of them. The life of the
 * list's record is its own. Where there is none, the hash lives as long as the longest of the records that
 * ended. Its bits are never cleared: no index is used again.
 */
const ADD_INDEX = `
local function setBit(key, index)
  local field = '${FIELD_PREFIX}' .. math.floor(index / ${CHUNK_SIZE})
  local at = index % ${CHUNK_SIZE}
  local bits = redis.call('HGET', key, field) or string.rep('0', ${CHUNK_LENGTH})
  local place = math.floor(at / ${BITS}) + 1
  local value = bit.bor(bits:byte(place) - ${ZERO}, bit.lshift(1, at % ${BITS}))
  local left, right = bits:sub(1, place - 1), bits:sub(place + 1)
  redis.call('HSET', key, field, left .. string.char(${ZERO} + value) .. right)
end
local function addIndex(key, index, life)
  local isNew = redis.call('EXISTS', key) == 0
  setBit(key, index)
  if redis.call('HEXISTS', key, 'payload') == 1 then return end
  if life == '' then return redis.call('PERSIST', key) end
  local remaining = redis.call('PTTL', key)
  if isNew or (remaining >= 0 and remaining < tonumber(life)) then
    redis.call('PEXPIRE', key, life)
  end
end
`

/**
 * Adds a record to a look-up, a sorted set scored by the second of issue. The member \127, which is
 * no record's, has the longest time from issue to expiry as its score, negative: what was issued
 * earlier than that has expired, and leaves the set at one write in sixteen.
 *
 * Issuing runs this up to four times, so it makes few calls. LT lowers the score of \127 and never
 * raises it; the look-up is given a quarter of a life more than it needs, so that most writes find
 * it long enough.
 */
const JOIN_LUA = `
local function join(now, key, member, iat, life)
  local span = '-inf'
  if life ~= '' then
    span = string.format('%.0f', math.min(iat - math.floor((now + life) / 1000) - 1, -1))
  end
  local added = redis.call('ZADD', key, 'LT', iat, member, span, '\\127')
  if added == 0 then redis.call('ZADD', key, iat, member) end
  if life == '' then return redis.call('PERSIST', key) end

  local left = redis.call('PTTL', key)
  if left < tonumber(life) then
    if added < 2 and left < 0 and redis.call('ZSCORE', key, '\\127') == '-inf' then return end
    redis.call('PEXPIRE', key, string.format('%.0f', life * 1.25))
  end
  if now % 16 == 0 then
    local longest = redis.call('ZSCORE', key, '\\127')
    if longest == '-inf' then return end
    local oldest = string.format('%.0f', math.floor(now / 1000) + longest)
    redis.call('ZREMRANGEBYSCORE', key, 0, '(' .. oldest)
  end
end
`

/**
 * `consumeOnce`: exists, unset, set. HSETNX alone would bring a key that has just expired back, as a
 * key without a TTL; inside a script the clock does not advance, so an existing key cannot expire
 * while the script runs. ARGV[1] names the attempt: a driver that sends a command again after a
 * lost reply gets the answer that was lost. ARGV[2] is the note, if there is one.
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
 * `endOnce`: exists, unset, set, with the name of the attempt as above. ARGV: attempt, end. Where the record has
 * ended, its end is written again: that gives a caller that waits for replicas a write to wait for.
 */
export const endScript = script(`
if redis.call('HEXISTS', KEYS[1], 'payload') == 0 then return 0 end
local fate = redis.call('HMGET', KEYS[1], 'ending', 'end')
redis.call('HSET', KEYS[1], 'end', fate[2] or ARGV[2])
if fate[2] then return fate[1] == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'ending', ARGV[1])
return 1
`)

/** Marks a record as consumed; HSET alone would bring an expired one back without a TTL. */
export const consumeScript = script(`
if redis.call('HEXISTS', KEYS[1], 'payload') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'consumed', redis.call('TIME')[1])
return 1
`)

/**
 * Adds a record to look-ups, the first ARGV[1] keys, and replaces it, the key after them, if there is one. No record is
 * there that is not listed. ARGV[2] to ARGV[4]: member and second of issue, '' for a record that is not listed, and
 * life in milliseconds or ''. Then payload, consumed or '', grantId or ''. Out of memory, Redis refuses a script's first
 * write and none after it. What was consumed or ended stays so: neither a second caller nor a driver that sends this
 * again after a lost reply undoes it. An expired key does not exist, so none of its fields remain.
 *
 * The reply is the note and the end that a listed record has kept, or 0 for neither.
 */
export const upsertScript = script(`${JOIN_LUA}
local lookUps = tonumber(ARGV[1])
if lookUps > 0 then
  ${CLOCK_LUA}
  for i = 1, lookUps do join(now, KEYS[i], ARGV[2], ARGV[3], ARGV[4]) end
end
local key = KEYS[lookUps + 1]
if not key then return 0 end
if ARGV[4] == '0' then redis.call('DEL', key) return 0 end
redis.call('HSET', key, 'payload', ARGV[5])
redis.call('HDEL', key, 'grantId')
if ARGV[6] ~= '' then redis.call('HSETNX', key, 'consumed', ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', key, 'grantId', ARGV[7]) end
if ARGV[4] == '' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, ARGV[4]) end
if ARGV[3] == '' then return 0 end
redis.call('HSET', key, 'iat', ARGV[3])
local kept = redis.call('HMGET', key, 'note', 'end')
return (kept[1] or kept[2]) and kept or 0
`)

/**
 * A part of a look-up, newest first, as members and scores in turn: ARGV[3] of them that come after
 * the member ARGV[2] of the second ARGV[1], there or not, or from the start where both are ''.
 * Members of one second are in order of their bytes; Lua's own comparison goes by the locale.
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

/** Adds an ended index to a status list. ARGV: index, life of the record that ended. */
export const addIndexScript = script(`${ADD_INDEX}
addIndex(KEYS[1], ARGV[1], ARGV[2])
return 1
`)

/** Removes a record; returns the grant it belonged to. */
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

/** Adds ARGV[1] to a set scored by expiry. ARGV[2]: life in milliseconds or ''. */
export const keepScript = script(`${KEEP_LUA}
return keep(KEYS[1], ARGV[1], ARGV[2])
`)
