import { aBaseUrl, aFunction, algorithms, anInteger, type Resolved, rule } from '../option-rules.ts'
import type { GetUrl } from './public-url.ts'
import { memoryReplayStore, type ReplayStore } from './replay-store.ts'

/** How proofs of keys are judged. One of `baseUrl` and `getUrl` is required. */
export interface DPoPOptions {
  /**
   * Where clients reach this server: `'https://api.example.com'`, or `'https://example.com/api'`
   * where a proxy takes `/api` away. The path of each request is put behind it. It is named here,
   * and not read from the `Host` header, because a proof for another server must not pass by a
   * header that its thief sends along.
   *
   * @defaultValue none: one of `baseUrl` and `getUrl` is required
   * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
   * @example
   * baseUrl: 'https://api.example.com'
   */
  readonly baseUrl?: string | undefined
  /**
   * Answers the absolute URL at which the client sent a request, where no `baseUrl` can say it: an
   * API with several names, or a proxy that rewrites paths. It must not believe what clients send
   * unless a proxy sets it.
   * @defaultValue none: one of `baseUrl` and `getUrl` is required
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
   * How old a proof may be, in seconds, and how far its `iat` may lie in the future, because the
   * clocks of clients differ: an integer from 1 to 300.
   * @defaultValue `60`
   */
  readonly maxAge?: number | undefined
  /**
   * Remembers which proofs were used. An API that runs in several processes needs one that all of
   * them share.
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

/** What `dPoP` may hold: types, bounds and defaults. */
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

/** The options that were given, with their defaults; the store is made only where DPoP is on. */
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
