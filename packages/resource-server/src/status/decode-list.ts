import { inflateSync } from 'node:zlib'
import { isPlainObject } from '../option-rules.ts'

/** The statuses of many tokens. */
export interface StatusList {
  /** The number of bits of one status. */
  readonly bits: 1 | 2 | 4 | 8
  readonly bytes: Uint8Array
}

/** The limit in bytes, 2^20 statuses of 8 bits. A list that inflates to more is refused. */
const MAX_BYTES = 2 ** 20

/**
 * Decodes the claim `status_list`: draft-ietf-oauth-status-list-21 §4.2.
 *
 * @throws Error for a claim that is malformed, or inflates to more than 1 MiB
 */
export function decodeStatusList(claim: unknown): StatusList {
  const { bits, lst }: Record<string, unknown> = isPlainObject(claim) ? claim : {}
  // "The allowed values for bits are 1, 2, 4, and 8."
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) {
    throw new Error('bits of a status list must be 1, 2, 4 or 8')
  }
  // "The value MUST be the base64url-encoded compressed byte array". Buffer.from skips other
  // characters.
  if (typeof lst !== 'string' || !/^[\w-]+$/.test(lst)) {
    throw new Error('lst of a status list must be base64url')
  }
  const bytes = inflateSync(Buffer.from(lst, 'base64url'), { maxOutputLength: MAX_BYTES })
  return { bits, bytes }
}

/**
 * Returns the status at an index. §4.1: "with the blocks being packed into bytes from the least
 * significant bit ("0") to the most significant bit ("7")".
 *
 * @param index - an integer that is not negative
 * @returns `undefined` beyond the end
 */
export function statusAt({ bits, bytes }: StatusList, index: number): number | undefined {
  const perByte = 8 / bits
  const byte = bytes[Math.floor(index / perByte)]
  if (byte === undefined) return undefined
  return (byte >> ((index % perByte) * bits)) & (2 ** bits - 1)
}

/**
 * Merges two copies of one list. A status that is not VALID in one of them is not VALID in the
 * result. Its exact value is lost.
 *
 * @throws Error if their `bits` differ, because the copies are of different lists
 */
export function merged(known: StatusList | undefined, fresh: StatusList): StatusList {
  if (!known) return fresh
  if (known.bits !== fresh.bits) throw new Error('bits of a status list must not change')
  const [longer, shorter] =
    known.bytes.length > fresh.bytes.length
      ? [known.bytes, fresh.bytes]
      : [fresh.bytes, known.bytes]
  const bytes = Uint8Array.from(longer)
  for (let index = 0; index < shorter.length; index += 1) {
    bytes[index] = (longer[index] ?? 0) | (shorter[index] ?? 0)
  }
  return { bits: fresh.bits, bytes }
}
