import { randomFillSync } from 'node:crypto'

/** Bytes of randomness in a value: 256 bits, 43 characters of base64url. */
const VALUE_BYTES = 32
/** Asking the generator costs ten times what 32 bytes do. */
const VALUES_DRAWN_AT_ONCE = 64

/**
 * A generator of values that cannot be guessed: base64url. It draws several at once. The bytes of a
 * value are erased once it is given out, so that only values of the future are in the pool: no more
 * than the provider keeps of its own tokens.
 */
export function randomValues(pool: Buffer): () => string {
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const from = next
    next += VALUE_BYTES
    const value = pool.toString('base64url', from, next)
    pool.fill(0, from, next)
    return value
  }
}

/** Draws the value of a subject token. */
export const randomValue = randomValues(Buffer.alloc(VALUE_BYTES * VALUES_DRAWN_AT_ONCE))
