import type { TokenContext } from './claims.ts'
import type { SessionEnd } from './texts.ts'

/**
 * The members of an impersonation that a page and a server have in common. It has no type of a
 * page.
 */
export interface ImpersonationFacts {
  /** The user: `sub` of the token. `undefined` if the token is opaque. */
  readonly userId: string | undefined
  /** The operator, by `sub` of the operator's ID token. */
  readonly actor: { readonly sub: string }
  /** The scope of the token, as the provider granted it. */
  readonly scope: readonly string[]
  /** Milliseconds since the epoch, by the clock of this machine. */
  readonly expiresAtMs: number
  /**
   * The claims of a JWT access token, with those of `getCustomJwtClaims`; `{}` if it is opaque.
   */
  readonly context: TokenContext
  /** Its end; `undefined` if it has not ended, or if the provider did not report it. */
  readonly ending: SessionEnd | undefined
}
