import { randomBytes } from 'node:crypto'

/** @throws when the reply is neither 1 nor 0: it is not known then who won. */
export function yes(reply: unknown): boolean {
  const number = Number(reply)
  if (reply === null || reply === '' || (number !== 0 && number !== 1)) {
    throw new TypeError('Redis answered with neither 1 nor 0 where one caller wins')
  }
  return number === 1
}

/** @throws when the reply is no array. */
export function parseArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError('Redis answered with no array')
  return reply
}

/**
 * The fields of a hash, from an array of names and values, or the object or Map that RESP3 makes of it.
 *
 * @throws when the reply is none of them
 */
export function parsePairs(reply: unknown): [string, string][] {
  if (Array.isArray(reply)) {
    return reply.flatMap((name, at) => (at % 2 ? [] : [[String(name), String(reply[at + 1])]]))
  }
  if (typeof reply !== 'object' || reply === null)
    throw new TypeError('Redis answered with no hash')
  const pairs: Iterable<[unknown, unknown]> =
    reply instanceof Map ? reply.entries() : Object.entries(reply)
  return [...pairs].map(([name, value]) => [String(name), String(value)])
}

const processName = randomBytes(12).toString('base64url')
let attempts = 0

/** A unique name for one attempt to consume or to end. */
export function attempt(): string {
  attempts += 1
  return `${processName}-${attempts}`
}
