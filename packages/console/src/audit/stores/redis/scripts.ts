// Over 250 lines: all scripts of the store: each is one step of Redis.
import { script } from '../../../../../../src/adapters/redis/command.ts'

/** Of a script with `take`: writes the list of entries. */
const WRITE_ENTRIES = `for _ = 1, tonumber(take()) do
  local n = string.format('%.0f', redis.call('INCR', newest))
  redis.call('HSET', links, n, take())
  redis.call('HSET', entries, n, take())
  local key, set, score, time = take(), take(), take(), take()
  if set ~= '' then redis.call('ZADD', KEYS[tonumber(set)], score == '' and n or score, n) end
  if key ~= '' then
    redis.call('HSET', repeats, key, n)
    redis.call('HSET', counts, n, '1 ' .. time)
  end
end
`

/**
 * Writes a batch: all of it, or nothing. Answers `done`, also where the batch was written before, or
 * `again` where a row is no longer as it was read, or a repeat key is gone.
 *
 * KEYS: chains, newest, links, entries, counts, repeats, rowless, rows, searches, words; then sorted
 * sets, which ARGV names by their place. ARGV: writer, number of the batch, sequence and hash of its last
 * link or two empty texts; then five lists, each after its length:
 * - rows: id, text that was read or ''
 * - repeat keys of entries that have to be there
 * - rows: id, new text, search text, how many sorted sets change, and of each place, score or ''
 * - entries: link, entry, repeat key or '', place of the timeline or of rowless or '', score or ''
 * - repetitions: repeat key, count, last time, whether there is no row (1 or 0)
 *
 * The number of the batch is written last. If the script fails half-way, entries are written twice,
 * but none is lost.
 */
export const APPEND_SCRIPT = script(`
local at = 0
local function take() at = at + 1; return ARGV[at] end
local chains, newest, links, entries, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local repeats, rowless, rows, searches, words = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local writer, number, sequence, hash = take(), take(), take(), take()
local written, lastSequence, lastHash =
  string.match(redis.call('HGET', chains, writer) or '', '^(%d+) (%d*) (.*)$')
if written and tonumber(written) >= tonumber(number) then return 'done' end

for _ = 1, tonumber(take()) do
  local id, read = take(), take()
  if (redis.call('HGET', rows, id) or '') ~= read then return 'again' end
end
for _ = 1, tonumber(take()) do
  if redis.call('HEXISTS', repeats, take()) == 0 then return 'again' end
end
for _ = 1, tonumber(take()) do
  local id = take()
  redis.call('HSET', rows, id, take())
  local search, before = take(), redis.call('HGET', searches, id) or ''
  if search ~= before then
    redis.call('HSET', searches, id, search)
    for word in string.gmatch(before, '[^ ]+') do redis.call('ZREM', words, word .. ' ' .. id) end
    for word in string.gmatch(search, '[^ ]+') do redis.call('ZADD', words, 0, word .. ' ' .. id) end
  end
  for _ = 1, tonumber(take()) do
    local set, score = KEYS[tonumber(take())], take()
    if score == '' then redis.call('ZREM', set, id) else redis.call('ZADD', set, score, id) end
  end
end
${WRITE_ENTRIES}for _ = 1, tonumber(take()) do
  local key, count, last, isRowless = take(), take(), take(), take()
  local n = redis.call('HGET', repeats, key)
  if n then
    local before, time = string.match(redis.call('HGET', counts, n) or '', '^(%d+) (%d+)$')
    -- A count that cannot be read must not stop what comes after it.
    if not before then before, time = 1, 0 end
    if tonumber(time) > tonumber(last) then last = time end
    redis.call('HSET', counts, n, string.format('%.0f', before + count) .. ' ' .. last)
    if isRowless == '1' then redis.call('ZADD', rowless, 'XX', last, n) end
  end
end
if sequence == '' then sequence, hash = lastSequence or '', lastHash or '' end
redis.call('HSET', chains, writer, number .. ' ' .. sequence .. ' ' .. hash)
return 'done'
`)

/**
 * Writes entries and a permit: all of it, or nothing. Answers `done`, also where the batch was written
 * before, `other` where something else was written before, or `again` where the permit is no longer as it
 * was read.
 *
 * KEYS: chains, newest, links, entries, counts, repeats, permits, the slot; then sorted sets, which ARGV
 * names by their place. ARGV: writer, number of the batch, sequence and hash of its last link; the permit:
 * id, text that was read or '', version that it replaces, whether it takes a slot (1 or 0), id and version
 * of the holder of the slot or '' and 0, new text; how many sorted sets change, and of each place, score
 * or ''; entries as in {@link APPEND_SCRIPT}.
 */
export const DECIDE_SCRIPT = script(`
local at = 0
local function take() at = at + 1; return ARGV[at] end
local chains, newest, links, entries, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local repeats, permits, slot = KEYS[6], KEYS[7], KEYS[8]
local writer, number, sequence, hash = take(), take(), take(), take()
local written = string.match(redis.call('HGET', chains, writer) or '', '^(%d+)')
if written and tonumber(written) >= tonumber(number) then return 'done' end

local function versionOf(id)
  local text = redis.call('HGET', permits, id)
  return text and cjson.decode(text).version or 0
end
local id, read, replaces, isSlotTaken = take(), take(), tonumber(take()), take()
local holder, version, text = take(), tonumber(take()), take()
if versionOf(id) ~= replaces then return 'other' end
local last = isSlotTaken == '1' and redis.call('ZREVRANGE', slot, 0, 0, 'WITHSCORES') or {}
if isSlotTaken == '1' then
  if (last[1] or '') ~= holder then return 'other' end
  if last[1] and versionOf(holder) ~= version then return 'other' end
end
if (redis.call('HGET', permits, id) or '') ~= read then return 'again' end
redis.call('HSET', permits, id, text)
if isSlotTaken == '1' then
  redis.call('ZADD', slot, string.format('%.0f', tonumber(last[2] or 0) + 1), id)
end
for _ = 1, tonumber(take()) do
  local set, score = KEYS[tonumber(take())], take()
  if score == '' then redis.call('ZREM', set, id) else redis.call('ZADD', set, score, id) end
end
${WRITE_ENTRIES}
redis.call('HSET', chains, writer, number .. ' ' .. sequence .. ' ' .. hash)
return 'done'
`)

/**
 * Looks at a slice of the rows of a sorted set, newest first. Answers: whether it was the last slice
 * (1 or 0), score and id of the last row that it looked at, and the id of each row that matches.
 *
 * KEYS: the sorted set, searches, expires; then sorted sets in which a row has to be as well. ARGV:
 * - the highest score, and the id: rows with this score match where their id is smaller; or '' for all
 * - the lowest score, and the id: rows with this score match where their id is greater; or '' for all
 * - how many rows to look at, how many to find
 * - the beginnings of words that a row has to have, each after a space
 * - 'live' for rows that expire later than the next argument, 'over' for all others, or ''
 */
export const FIND_SCRIPT = script(`
local set, searches, expires = KEYS[1], KEYS[2], KEYS[3]
local top, below, bottom, above = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local slice, wanted, text = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local time, now = ARGV[8], tonumber(ARGV[9])
-- By bytes, as sorted sets compare. The operators of Lua compare by the locale of the server.
local function isLess(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- How many rows with the highest score are not older: the row with the id may be gone.
local start = 0
if below ~= '' then
  local first = redis.call('ZCOUNT', set, '(' .. top, '+inf')
  local stop = redis.call('ZCOUNT', set, top, top)
  while start < stop do
    local middle = math.floor((start + stop) / 2)
    local id = redis.call('ZREVRANGE', set, first + middle, first + middle)[1]
    if isLess(id, below) then stop = middle else start = middle + 1 end
  end
end
local ids = redis.call('ZREVRANGEBYSCORE', set, top, bottom, 'LIMIT', start, slice)
local last = ids[#ids]
if not last then return { 1, '', '' } end
-- From this place on, rows have the lowest score: the id decides.
local lowest = #ids + 1
if above ~= '' then
  lowest = redis.call('ZCOUNT', set, bottom, top) - start
    - redis.call('ZCOUNT', set, bottom, bottom) + 1
end
local texts = text ~= '' and redis.call('HMGET', searches, unpack(ids))

local function matches(id, at)
  for word in string.gmatch(text, ' [^ ]+') do
    if not (texts[at] and string.find(texts[at], word, 1, true)) then return false end
  end
  if at >= lowest and not isLess(above, id) then return false end
  for key = 4, #KEYS do
    if not redis.call('ZSCORE', KEYS[key], id) then return false end
  end
  if time == '' then return true end
  local isLive = tonumber(redis.call('ZSCORE', expires, id) or 0) > now
  return isLive == (time == 'live')
end

local found, isLast = {}, #ids < slice
for at, id in ipairs(ids) do
  if matches(id, at) then
    found[#found + 1] = id
    if #found == wanted then
      isLast = isLast and at == #ids
      last = id
      break
    end
  end
end
return { isLast and 1 or 0, redis.call('ZSCORE', set, last), last, unpack(found) }
`)

/**
 * Looks at all rows with a word of a range. Answers id and score of each row that matches.
 *
 * KEYS: words, searches, expires; then sorted sets in which a row has to be as well, the first of them
 * for the score. ARGV: begin and end of the range, as ZRANGEBYLEX takes them; then as the last three of
 * {@link FIND_SCRIPT}.
 */
export const SEARCH_SCRIPT = script(`
local words, searches, expires = KEYS[1], KEYS[2], KEYS[3]
local text, time, now = ARGV[3], ARGV[4], tonumber(ARGV[5])
local ids, isThere = {}, {}
for _, member in ipairs(redis.call('ZRANGEBYLEX', words, ARGV[1], ARGV[2])) do
  local id = string.match(member, ' (.*)$')
  if not isThere[id] then ids[#ids + 1] = id end
  isThere[id] = true
end
local found = {}
for at, id in ipairs(ids) do
  local search, score = redis.call('HGET', searches, id), redis.call('ZSCORE', KEYS[4], id)
  local isFound = search and score
  for word in string.gmatch(text, ' [^ ]+') do
    isFound = isFound and string.find(search, word, 1, true)
  end
  for key = 5, #KEYS do isFound = isFound and redis.call('ZSCORE', KEYS[key], id) end
  if isFound and time ~= '' then
    isFound = (tonumber(redis.call('ZSCORE', expires, id) or 0) > now) == (time == 'live')
  end
  if isFound then
    found[#found + 1] = id
    found[#found + 1] = score
  end
end
return found
`)

/**
 * Removes a row with all its entries, or entries of no row: all in one step, so that a row is never seen
 * without some of its entries. Answers how many entries and rows it removed; -1 where the row is no longer
 * as it was read, or an entry is of a writer that is not named.
 *
 * KEYS: links, entries, counts, repeats, removedUpTo, the timeline or rowless, rows, searches, words; then
 * the bitmap of each writer, then the sorted sets of the row. ARGV: id of the row or '', its text, the time
 * before which entries of no row are removed, how many of these, how many writers; then the writers.
 */
export const REMOVE_SCRIPT = script(`
local links, entries, counts, repeats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local upTo, list, rows, searches, words = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local row, read, before, limit, writers = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local bitmaps = {}
for at = 1, writers do bitmaps[ARGV[5 + at]] = KEYS[9 + at] end
local numbers
if row == '' then
  numbers = redis.call('ZRANGEBYSCORE', list, '-inf', '(' .. before, 'LIMIT', 0, limit)
else
  if redis.call('HGET', rows, row) ~= read then return -1 end
  numbers = redis.call('ZRANGE', list, 0, -1)
end
local found = {}
for at, n in ipairs(numbers) do
  local sequence, writer = string.match(redis.call('HGET', links, n) or '', '^(%d+) %S+ %S+ (.*)$')
  if not sequence or not bitmaps[writer] then return -1 end
  found[at] = { n, sequence, writer }
end
for _, each in ipairs(found) do
  local n, sequence, writer = each[1], each[2], each[3]
  local names = string.match(redis.call('HGET', entries, n) or '', '^[^\\n]*')
  local key = names ~= '' and cjson.decode(names)[2]
  if type(key) == 'string' then redis.call('HDEL', repeats, key) end
  redis.call('HDEL', entries, n)
  redis.call('HDEL', counts, n)
  if row == '' then redis.call('ZREM', list, n) end
  redis.call('SETBIT', bitmaps[writer], sequence, 1)
  if tonumber(redis.call('HGET', upTo, writer) or 0) < tonumber(sequence) then
    redis.call('HSET', upTo, writer, sequence)
  end
end
if row == '' then return #found end
redis.call('DEL', list)
redis.call('HDEL', rows, row)
for word in string.gmatch(redis.call('HGET', searches, row) or '', '[^ ]+') do
  redis.call('ZREM', words, word .. ' ' .. row)
end
redis.call('HDEL', searches, row)
for key = 10 + writers, #KEYS do redis.call('ZREM', KEYS[key], row) end
return #found + 1
`)

/**
 * Looks at rows. Answers for each: 1 where it is filed as it should be, 0 where it is not, and -1 where it
 * is no longer as it was read.
 *
 * KEYS: rows, searches, words; then sorted sets, which ARGV names by their place. ARGV, of each row: id, text
 * that was read, search text, how many sorted sets, and of each place, and score or '' where the row
 * should not be.
 */
export const FILED_SCRIPT = script(`
local at, answers = 0, {}
local function take() at = at + 1; return ARGV[at] end
while at < #ARGV do
  local id, text, search = take(), take(), take()
  local answer = 1
  if redis.call('HGET', KEYS[2], id) ~= search then answer = 0 end
  for word in string.gmatch(search, '[^ ]+') do
    if not redis.call('ZSCORE', KEYS[3], word .. ' ' .. id) then answer = 0 end
  end
  for _ = 1, tonumber(take()) do
    local set, score = KEYS[tonumber(take())], take()
    if (redis.call('ZSCORE', set, id) or '') ~= score then answer = 0 end
  end
  if redis.call('HGET', KEYS[1], id) ~= text then answer = -1 end
  answers[#answers + 1] = answer
end
return answers
`)

/** All fields and values of a hash as a flat list, whatever version of the protocol is spoken. */
export const HASH_SCRIPT = script(`return redis.call('HGETALL', KEYS[1])`)

/** A part of a bitmap in hexadecimal. ARGV: the first and the last byte. */
export const BITS_SCRIPT = script(`
local bytes = redis.call('GETRANGE', KEYS[1], ARGV[1], ARGV[2])
return (string.gsub(bytes, '.', function(c) return string.format('%02x', string.byte(c)) end))
`)
