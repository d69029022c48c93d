import type { ImpersonationTexts } from './errors.ts'
import { parseSafe } from './link.ts'
import { parseUrl } from './quietly.ts'
import type { ImpersonationCoverTexts } from './texts.ts'

/** Options of `acceptImpersonation`. */
export interface AcceptImpersonationOptions {
  /** The issuer of the provider, as in its discovery document. */
  readonly issuer: string
  /** The client of the application: public, with the token-exchange grant. */
  readonly clientId: string
  /** A page of this application that calls `acceptImpersonation`, registered with the client. */
  readonly redirectUri: string
  /** The API of the token: RFC 8707. */
  readonly resource: string
  /** The scope to request, such as `orders:read`. */
  readonly scope: string
  /**
   * Binds the tokens to a key that this page cannot read: RFC 9449.
   *
   * @defaultValue false
   */
  readonly dPoP?: boolean | undefined
  /**
   * Ends the impersonation when the page is left, also by a reload. `false` lets the token live
   * until it expires. The last request of a page gets lost if the browser crashes, now and then in
   * Firefox, and after five minutes if the provider demands nonces. Then the token lives until it
   * expires, too.
   *
   * @defaultValue true
   */
  readonly endOnLeave?: boolean | undefined
  /**
   * The origins to which `session.fetch` may send the token.
   *
   * @defaultValue the origin of `resource`
   */
  readonly origins?: readonly string[] | undefined
  /**
   * Covers the page at the end, so that no data of the customer is visible or in the accessibility
   * tree. The cover names who ended it and the reason. An object replaces its texts. Set `false`
   * if the application removes the data by itself.
   *
   * @defaultValue true
   */
  readonly cover?: boolean | Partial<ImpersonationCoverTexts> | undefined
  /**
   * Returns the operator's unsaved input, as text. It is called at the end, before the listeners.
   * The cover offers to copy it.
   */
  readonly drafts?: (() => string) | undefined
  /**
   * The address of the support console. After a reload, `acceptImpersonation` then rejects with
   * `left`. The message names the user and the ticket, and `continueUrl` leads to the page of the
   * console that goes on.
   *
   * @defaultValue none: after a reload, there is no message
   */
  readonly console?: string | undefined
  /**
   * Returns the name of the user, as text. It is called at the end, for the messages then. If the
   * operator ended it, or if the time was over, the name stays in `sessionStorage` for ten
   * minutes, with the id, the operator, the user, the ticket, and the address of the page without
   * its fragment. Nothing of an opaque token stays.
   *
   * @defaultValue the `sub` of the token
   */
  readonly userName?: (() => string) | undefined
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
export interface CheckedOptions
  extends Pick<AcceptImpersonationOptions, 'cover' | 'drafts' | 'userName' | 'texts'> {
  readonly issuer: URL
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scope: string
  readonly dPoP: boolean
  readonly endOnLeave: boolean
  readonly origins: readonly string[]
  /** Without a slash at the end. */
  readonly console: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/** @throws TypeError naming the option */
export function checkOptions(options: AcceptImpersonationOptions): CheckedOptions {
  if (!isSecureContext) {
    throw new TypeError('acceptImpersonation needs an https page, or an http page of this machine')
  }
  const { clientId, resource, scope, dPoP, endOnLeave, origins, console, fetch } = options
  const issuer = parseSafe(options.issuer, 'issuer')
  const redirectUri = parseUrl(options.redirectUri)
  if (redirectUri?.origin !== location.origin) {
    throw new TypeError('redirectUri must be a URL of the origin of this page')
  }
  if (console !== undefined) parseSafe(console, 'console')
  for (const [name, value] of Object.entries({ clientId, resource, scope })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string`)
  }
  return {
    ...options,
    issuer,
    console: console?.replace(/\/$/, ''),
    dPoP: dPoP === true,
    endOnLeave: endOnLeave !== false,
    origins: (origins ?? [resource]).map(
      (address) => parseSafe(address, 'origins, or resource,').origin,
    ),
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}
