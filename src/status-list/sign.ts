import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import type { Provider } from 'oidc-provider'
import type { EndedFollower, EndingAdapter } from '../adapters/contract.ts'
import { type JwtPayload, signingAlgorithm, signJwt } from '../host/instance.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import { MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { sha256 } from '../shared/text.ts'
import { epochSeconds, sharing } from '../shared/time.ts'
import { issuerUri, STATUS_LISTS_PATH, statusListUri } from '../shared/uris.ts'
import { warn } from '../shared/warn.ts'
import { keptAfterRedemptionFor } from '../tokens/subject-token.ts'
import { LIST_SIZE, type StatusIndices, statusIndices } from './allocate.ts'

const compress = promisify(deflate)

/** The time for which a signed list is valid, in seconds. */
const LIST_LIFE_SECONDS = 30
/** The `ttl` of a list, in seconds: the time after which guards fetch a new one. */
const LIST_TTL_SECONDS = 5
/** The time for which one signature is served, in milliseconds. */
const FRESH_MS = 1000

/** `typ` of a Status List Token. */
const LIST_TOKEN_TYPE = 'statuslist+jwt'

interface StatusListsParts {
  readonly issuer: string
  readonly adapter: Pick<EndingAdapter, 'endedIndices' | 'followEnded'>
  readonly indices: Pick<StatusIndices, 'exists' | 'lists' | 'vouchFor'>
  /** Signs the claims of a Status List Token. */
  readonly sign: (claims: JwtPayload) => Promise<string>
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** Makes the status lists of a provider; `undefined` if no key can sign them. */
export function createStatusLists(
  provider: Provider,
  adapter: EndingAdapter,
  { accessToken: { maxTtl } }: ResolvedOptions,
) {
  if (!signingAlgorithm(provider)) {
    warn(
      'STATUS_LISTS_NOT_SIGNED',
      'no key in jwks can sign status lists, so that impersonated JWTs tell no API when they have ended',
    )
    return undefined
  }
  const { issuer } = provider
  const tokenLife = MAX_SUBJECT_TOKEN_TTL + keptAfterRedemptionFor(maxTtl)
  const indices = statusIndices(adapter, { issuer, tokenLife })
  const sign = (claims: JwtPayload) => signJwt(provider, LIST_TOKEN_TYPE, claims)
  const lists = statusLists({ issuer, adapter, indices, sign })
  // Reads everything once if the storage reports only new ends.
  if (adapter.followEnded) setImmediate(() => void lists.readAhead().catch(() => {}))
  return { ...lists, draw: indices.draw }
}

/**
 * The state of a list from one signature to the next. Bits are never cleared, because no index is
 * used again, and an end that the storage lost stays an end.
 */
interface Kept {
  readonly bits: StatusBits
  readonly ended: EndedFollower
}

export function statusLists({
  issuer,
  adapter,
  indices,
  sign,
  now = () => Date.now(),
}: StatusListsParts) {
  const allKept = new Map<string, Kept>()

  /** Sets the bits of all ends until now. */
  async function readEnded(list: string): Promise<StatusBits> {
    const kept = allKept.get(list) ?? {
      bits: new StatusBits(LIST_SIZE),
      ended: adapter.followEnded?.(list) ?? { next: () => adapter.endedIndices(list) },
    }
    allKept.set(list, kept)
    const ended = await kept.ended.next()
    try {
      kept.bits.set(ended)
    } catch (error) {
      // The follower does not report an end twice, so the next one begins from the start.
      allKept.delete(list)
      throw error
    }
    return kept.bits
  }

  /** Makes a Status List Token, and the value of its ETag, which differs for every signature. */
  async function signList(list: string) {
    if (!allKept.has(list)) {
      if (!(await indices.exists(list))) return undefined
      await forgetRetired()
    }
    const iat = epochSeconds(now())
    const bits = await readEnded(list)
    // After the bits: a storage that lost data before the read has lost ends.
    if (!(await indices.vouchFor(list))) {
      allKept.delete(list)
      return undefined
    }
    const token = await sign({
      iss: issuer,
      sub: statusListUri(issuer, list),
      iat,
      exp: iat + LIST_LIFE_SECONDS,
      ttl: LIST_TTL_SECONDS,
      status_list: {
        bits: 1,
        lst: await bits.encode(),
        aggregation_uri: issuerUri(issuer, STATUS_LISTS_PATH),
      },
    })
    return { token, tag: sha256(token) }
  }

  /** Drops retired lists whenever a new list is read, so that memory is bounded. */
  async function forgetRetired(): Promise<void> {
    if (allKept.size === 0) return
    const live = new Set(await indices.lists())
    for (const list of allKept.keys()) if (!live.has(list)) allKept.delete(list)
  }

  const signed = sharing(FRESH_MS, now, signList, Boolean)
  const listUris = async () => (await indices.lists()).map((list) => statusListUri(issuer, list))
  const uris = sharing(FRESH_MS, now, listUris, Boolean)

  return {
    /**
     * Reads the ends of all current lists. The first read of a list is the long one, and no guard
     * has to wait for it.
     *
     * @throws if the storage did not respond
     */
    async readAhead() {
      for (const list of await indices.lists()) await readEnded(list)
    },
    /**
     * Returns the list as it is now, or was within the last second; `undefined` if there is none.
     *
     * @throws if the storage did not respond
     */
    find: async (list: string) => (/^[\w-]{22}$/.test(list) ? signed(list) : undefined),
    /**
     * Returns the URIs of all lists that have not retired, as they are now, or were within the
     * last second.
     *
     * @throws if the storage did not respond
     */
    uris: () => uris(),
  }
}

/**
 * The statuses of a list, one bit for each. 0 is VALID, 1 is INVALID.
 *
 * @see draft-ietf-oauth-status-list-21, section 4.1
 */
export class StatusBits {
  readonly #bytes: Uint8Array
  /** The member `lst`, until another bit is set. */
  #encoded: Promise<string> | undefined

  /** @param size - the number of statuses, a multiple of 8 */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size / 8)
  }

  /**
   * Sets bits. A bit that is set stays set.
   *
   * @throws RangeError for an index that the list does not have
   */
  set(indices: Iterable<number>): void {
    for (const index of indices) {
      const at = Math.floor(index / 8)
      const byte = this.#bytes[at]
      if (byte === undefined || !Number.isInteger(index)) {
        throw new RangeError('a status index is beyond the end of its list')
      }
      // "the blocks being packed into bytes from the least significant bit ("0") to the most
      // significant bit ("7")"
      const bit = 1 << (index & 7)
      if (byte & bit) continue
      this.#bytes[at] = byte | bit
      this.#encoded = undefined
    }
  }

  /** Returns the member `lst`: DEFLATE with the ZLIB format at the highest level, base64url. */
  encode(): Promise<string> {
    // A copy, because bits may be set while another thread reads.
    this.#encoded ??= compress(this.#bytes.slice(), { level: constants.Z_BEST_COMPRESSION }).then(
      (compressed) => compressed.toString('base64url'),
    )
    return this.#encoded
  }
}
