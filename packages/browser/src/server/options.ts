import type { ClientAuth } from 'oauth4webapi'
import type { ImpersonationError } from '../errors.ts'
import { parseSafe } from '../link.ts'
import { oauth } from '../oauth.ts'
import type { ProviderSettings } from '../provider.ts'
import { parseUrl } from '../quietly.ts'
import type { ImpersonationMessage } from './message.ts'
import type { ImpersonationStore } from './store.ts'

/** Options of `createImpersonations`. */
export interface ImpersonationsOptions {
  /** The issuer of the provider, as in its discovery document. */
  readonly issuer: string
  /**
   * The client of the application: confidential, with the code flow and the token-exchange grant.
   */
  readonly clientId: string
  /** The secret of the client, sent by HTTP Basic. Give this or `clientAuth`. */
  readonly clientSecret?: string | undefined
  /** Another way to authenticate, such as `PrivateKeyJwt(key)` of oauth4webapi. */
  readonly clientAuth?: ClientAuth | undefined
  /** The address of the route of `accept`, registered with the client. */
  readonly redirectUri: string
  /** The API of the token: RFC 8707. */
  readonly resource: string
  /** The scope to request, such as `orders:read`. */
  readonly scope: string
  /** The origin of each back office that posts the form, such as `https://support.example.com`. */
  readonly from: string | readonly string[]
  readonly store: ImpersonationStore
  /**
   * The first page of this application for the operator, as a path.
   *
   * @defaultValue `'/'`
   */
  readonly next?: string | undefined
  /**
   * The path of the route of `end`.
   *
   * @defaultValue `'/impersonation/end'`
   */
  readonly endPath?: string | undefined
  /**
   * The origins to which `fetch` of an impersonation may send the token.
   *
   * @defaultValue the origin of `resource`
   */
  readonly origins?: readonly string[] | undefined
  /**
   * Returns the page with a message for the operator, in the look and the language of your
   * application. The cookies and `Cache-Control` are added.
   *
   * @defaultValue a plain page in English
   */
  readonly respond?:
    | ((message: ImpersonationMessage, request: Request) => Response | Promise<Response>)
    | undefined
  /**
   * Called if the set-up is wrong or the provider does not respond. The `cause` has the reason. It
   * has no token.
   *
   * @defaultValue `console.error`
   */
  readonly onError?: ((error: ImpersonationError) => void) | undefined
  /**
   * Sends every request to the provider and the API.
   *
   * @defaultValue the global `fetch`
   */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The options, with the defaults. */
export interface Settings extends Pick<ImpersonationsOptions, 'respond' | 'store'> {
  readonly provider: ProviderSettings
  /** The origin of the application. */
  readonly origin: string
  readonly from: readonly string[]
  /** Absolute. */
  readonly next: string
  readonly endPath: string
  readonly origins: readonly string[]
  readonly onError: (error: ImpersonationError) => void
  readonly fetch: typeof globalThis.fetch
}

/** @throws TypeError naming the option */
export function checkOptions(options: ImpersonationsOptions): Settings {
  const { clientId, redirectUri, resource, scope, store } = options
  for (const [name, value] of Object.entries({ clientId, resource, scope })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string`)
  }
  for (const name of ['get', 'set', 'delete'] as const) {
    if (typeof store?.[name] !== 'function') throw new TypeError(`store.${name} must be a function`)
  }
  const { origin } = parseSafe(redirectUri, 'redirectUri')
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  const from = [options.from].flat().map((address) => originOf(address, 'from'))
  if (from.length === 0) throw new TypeError('from must name a back office')
  return {
    provider: {
      issuer: parseSafe(options.issuer, 'issuer'),
      clientId,
      clientAuth: clientAuthOf(options),
      redirectUri,
      responseMode: 'query',
      resource,
      scope,
      dPoP: false,
      fetch,
      requestInit: {},
    },
    store,
    origin,
    from,
    next: new URL(pathOf(options.next ?? '/', 'next', origin), origin).href,
    endPath: pathOf(options.endPath ?? '/impersonation/end', 'endPath', origin),
    origins: (options.origins ?? [resource]).map((address) =>
      originOf(address, 'origins, or resource,'),
    ),
    respond: options.respond,
    onError: options.onError ?? ((error) => console.error(error)),
    fetch,
  }
}

function clientAuthOf({ clientAuth, clientSecret }: ImpersonationsOptions): ClientAuth {
  if (clientAuth && clientSecret === undefined) return clientAuth
  if (!clientAuth && typeof clientSecret === 'string' && clientSecret !== '') {
    return oauth.ClientSecretBasic(clientSecret)
  }
  throw new TypeError('give clientSecret, a string, or clientAuth')
}

function originOf(address: string, name: string): string {
  return parseSafe(address, name).origin
}

function pathOf(path: string, name: string, origin: string): string {
  if (path.startsWith('/') && parseUrl(origin + path) && new URL(path, origin).origin === origin) {
    return path
  }
  throw new TypeError(`${name} must be a path of the application that begins with /`)
}
