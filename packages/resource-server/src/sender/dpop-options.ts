import { aBaseUrl, aFunction, algorithms, anInteger, type Resolved, rule } from '../option-rules.ts'
import type { GetUrl } from './public-url.ts'
import { memoryReplayStore, type ReplayStore } from './replay-store.ts'

/** The options for proofs of keys. Either `baseUrl` or `getUrl` is required. */
export interface DPoPOptions {
  /**
   * The public URL of this server. The path of each request is appended. If a proxy takes `/api`
   * away, include it: `'https://example.com/api'`. The `Host` header is not trusted.
   * @defaultValue none: either `baseUrl` or `getUrl` is required
   * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
   * @example
   * baseUrl: 'https://api.example.com'
   */
  readonly baseUrl?: string | undefined
  /**
   * Returns the absolute URL at which the client sent a request, if no `baseUrl` fits. It must not
   * trust a header that clients can set.
   * @defaultValue none: either `baseUrl` or `getUrl` is required
   * @example
   * getUrl: (request) => `https://${request.headers['x-public-host']}${request.url}`
   */
  readonly getUrl?: GetUrl | undefined
  /**
   * The signature algorithms of proofs that are accepted, at least one.
   * @defaultValue `['ES256', 'Ed25519', 'EdDSA']`, as in oidc-provider
   * @example
   * algorithms: ['ES256']
   */
  readonly algorithms?: readonly string[] | undefined
  /**
   * The largest age of a proof, in seconds, and the longest time that its `iat` may lie in the
   * future: an integer from 1 to 300.
   * @defaultValue `60`
   */
  readonly maxAge?: number | undefined
  /**
   * Stores used proofs. Several processes need a store that they share.
   * @defaultValue the memory of this process
   * @example
   * replayStore: {
   *   isFirstUse: async (id, expiresAt) =>
   *     (await redis.set(`proof:${id}`, '1', {
   *       condition: 'NX',
   *       expiration: { type: 'EXAT', value: expiresAt },
   *     })) === 'OK',
   * }
   */
  readonly replayStore?: ReplayStore | undefined
}

const isReplayStore = (value: unknown): value is ReplayStore =>
  typeof value === 'object' && typeof Object(value).isFirstUse === 'function'

/** The options of `dPoP`: types, bounds and defaults. */
export const dPoPShape = {
  baseUrl: aBaseUrl(),
  getUrl: aFunction<GetUrl>(),
  algorithms: algorithms(['ES256', 'Ed25519', 'EdDSA']),
  maxAge: anInteger(1, 300, 60),
  replayStore: {
    ...rule('object', isReplayStore, 'an object with the method isFirstUse', undefined),
    methods: ['isFirstUse'],
  },
} as const

/** The options as given, with their defaults. The store is made only if DPoP is on. */
type GivenDPoPOptions = Resolved<typeof dPoPShape>

/** The options with every default filled in, frozen. */
export interface ResolvedDPoPOptions extends GivenDPoPOptions {
  readonly replayStore: ReplayStore
}

/** @throws TypeError naming the option that is missing or wrong */
export function resolveDPoP(
  { baseUrl, getUrl, algorithms, maxAge, replayStore }: GivenDPoPOptions,
  path: string,
): ResolvedDPoPOptions {
  if ((baseUrl === undefined) === (getUrl === undefined)) {
    throw new TypeError(
      `${path}.baseUrl is required, or ${path}.getUrl, and not both: where clients reach this server, for example 'https://api.example.com'`,
    )
  }
  return Object.freeze({
    baseUrl,
    getUrl,
    algorithms,
    maxAge,
    replayStore: replayStore ?? memoryReplayStore(),
  })
}
