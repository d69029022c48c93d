/**
 * How many indices are in one field. A list of 2^20 has 2,048 fields of 86 characters, whatever has ended
 * in it: a whole read is 176 KB.
 */
export const CHUNK_SIZE = 512
/** Of each character. Clients read replies as text, so each is an ASCII character from `0` to `o`. */
const BITS = 6
const ZERO = 48
const CHUNK_LENGTH = Math.ceil(CHUNK_SIZE / BITS)
const FIELD_PREFIX = 'ended:'

/** Lua functions that set and clear the bit of an index in its chunk. An empty chunk is no field. */
export const ENDED_BITS_LUA = `
local function chunkOf(key, index)
  local field = '${FIELD_PREFIX}' .. math.floor(index / ${CHUNK_SIZE})
  local at = index % ${CHUNK_SIZE}
  local bits = redis.call('HGET', key, field) or string.rep('0', ${CHUNK_LENGTH})
  return field, bits, math.floor(at / ${BITS}) + 1, bit.lshift(1, at % ${BITS})
end
local function replaced(bits, place, value)
  return bits:sub(1, place - 1) .. string.char(${ZERO} + value) .. bits:sub(place + 1)
end
local function setBit(key, index)
  local field, bits, place, mask = chunkOf(key, index)
  redis.call('HSET', key, field, replaced(bits, place, bit.bor(bits:byte(place) - ${ZERO}, mask)))
end
local function clearBit(key, index)
  local field, bits, place, mask = chunkOf(key, index)
  local value = bit.band(bits:byte(place) - ${ZERO}, bit.bnot(mask))
  local left = replaced(bits, place, value)
  if left:find('[^0]') then redis.call('HSET', key, field, left) else redis.call('HDEL', key, field) end
end
`

/** The chunk that a field of the hash is; `undefined` for another field. */
export function chunkNumber(field: string): number | undefined {
  return /^ended:\d+$/.test(field) ? Number(field.slice(FIELD_PREFIX.length)) : undefined
}

/**
 * The indices of a chunk.
 *
 * @param known those of this text are left out
 * @throws TypeError for what no script wrote
 */
export function* readChunk(chunk: number, bits: string, known = ''): Generator<number> {
  if (bits.length !== CHUNK_LENGTH)
    throw new TypeError('Redis answered with no part of a status list')
  for (let place = 0; place < CHUNK_LENGTH; place += 1) {
    const before = known === '' ? 0 : known.charCodeAt(place) - ZERO
    const value = (bits.charCodeAt(place) - ZERO) & ~before
    for (let at = 0; at < BITS; at += 1) {
      if (value & (1 << at)) yield chunk * CHUNK_SIZE + place * BITS + at
    }
  }
}
