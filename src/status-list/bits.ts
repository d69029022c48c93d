import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'

const compress = promisify(deflate)

/**
 * The statuses of a list, one bit for each: 0 is VALID, 1 is INVALID.
 *
 * @see draft-ietf-oauth-status-list-21, section 4.1
 */
export class StatusBits {
  readonly #bytes: Uint8Array

  /** @param size how many statuses; a multiple of 8 */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size / 8)
  }

  /**
   * Sets bits; a bit that is set stays so. Returns whether there was a new one.
   *
   * @throws RangeError for an index that the list does not have
   */
  set(indices: Iterable<number>): boolean {
    let isNew = false
    for (const index of indices) {
      const byte = this.#bytes[index >>> 3]
      if (byte === undefined || !Number.isInteger(index) || index < 0 || index > 0xffffffff) {
        throw new RangeError('a status index is beyond the end of its list')
      }
      // "the blocks being packed into bytes from the least significant bit ("0") to the most
      // significant bit ("7")"
      const bit = 1 << (index & 7)
      if (byte & bit) continue
      this.#bytes[index >>> 3] = byte | bit
      isNew = true
    }
    return isNew
  }

  /** The member `lst`: DEFLATE with the ZLIB format at the highest level, base64url. */
  async encode(): Promise<string> {
    // A copy: bits may be set while another thread reads.
    const compressed = await compress(this.#bytes.slice(), { level: constants.Z_BEST_COMPRESSION })
    return compressed.toString('base64url')
  }
}
