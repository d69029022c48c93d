import type { ImpersonationTexts } from './errors.ts'
import { isSafe, parseUrl } from './url.ts'

/** What `acceptImpersonation` has to know. */
export interface AcceptImpersonationOptions {
  /** The issuer of the provider, as in its discovery document. */
  readonly issuer: string
  /** The client of the application: public, with the token-exchange grant. */
  readonly clientId: string
  /** A page of this application that calls `acceptImpersonation`, registered with the client. */
  readonly redirectUri: string
  /** The API that the token is for: RFC 8707. */
  readonly resource: string
  /** The scope that the token is asked for, such as `orders:read`. */
  readonly scope: string
  /**
   * Binds the tokens to a key that this page cannot read: RFC 9449.
   *
   * @defaultValue false
   */
  readonly dPoP?: boolean | undefined
  /**
   * Ends the impersonation when the page is left. To reload is to leave. `false` lets the token
   * live until it expires.
   *
   * @defaultValue true
   */
  readonly endOnLeave?: boolean | undefined
  /**
   * The origins that `session.fetch` may send the token to.
   *
   * @defaultValue the origin of `resource`
   */
  readonly origins?: readonly string[] | undefined
  /** Replaces messages of errors. */
  readonly texts?: ImpersonationTexts | undefined
  /**
   * Sends every request.
   *
   * @defaultValue the browser's own
   */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The options, with the defaults. */
export interface CheckedOptions {
  readonly issuer: URL
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scope: string
  readonly dPoP: boolean
  readonly endOnLeave: boolean
  readonly origins: readonly string[]
  readonly texts: ImpersonationTexts | undefined
  readonly fetch: typeof globalThis.fetch
}

/** @throws TypeError naming the option */
export function checkOptions(options: AcceptImpersonationOptions): CheckedOptions {
  if (!isSecureContext) {
    throw new TypeError('acceptImpersonation needs an https page, or an http page of this machine')
  }
  const { clientId, resource, scope, dPoP, endOnLeave, origins, texts, fetch } = options
  const issuer = parseUrl(options.issuer)
  if (!issuer || !isSafe(issuer)) {
    throw new TypeError('issuer must be an https URL, or an http URL of this machine')
  }
  const redirectUri = parseUrl(options.redirectUri)
  if (redirectUri?.origin !== location.origin) {
    throw new TypeError('redirectUri must be a URL of the origin of this page')
  }
  for (const [name, value] of Object.entries({ clientId, resource, scope })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string`)
  }
  return {
    issuer,
    clientId,
    redirectUri: options.redirectUri,
    resource,
    scope,
    dPoP: dPoP === true,
    endOnLeave: endOnLeave !== false,
    origins: (origins ?? [resource]).map(originOf),
    texts,
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}

function originOf(address: string): string {
  const url = parseUrl(address)
  if (!url || !isSafe(url)) {
    throw new TypeError(
      'origins must be https URLs, or http URLs of this machine; by default, resource is one',
    )
  }
  return url.origin
}
