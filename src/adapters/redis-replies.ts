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
export function arrayOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError('Redis answered with no array')
  return reply
}

const processName = randomBytes(12).toString('base64url')
let attempts = 0

/** A unique name for one attempt to consume or to end. */
export function attempt(): string {
  attempts += 1
  return `${processName}-${attempts}`
}
