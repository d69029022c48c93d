import type { TokenContext } from './claims.ts'
import type { SessionEnd } from './texts.ts'

/** What a page and a server tell about an impersonation alike. No type of a page is in it. */
export interface ImpersonationFacts {
  /** The user: `sub` of the token. `undefined` where the token is opaque. */
  readonly userId: string | undefined
  /** The operator, by `sub` of the operator's ID token. */
  readonly actor: { readonly sub: string }
  /** The scope of the token, as the provider granted it. */
  readonly scope: readonly string[]
  /** Milliseconds since the epoch, by the clock of this machine. */
  readonly expiresAtMs: number
  /** The claims of a JWT access token, with what `getCustomJwtClaims` added; `{}` where it is opaque. */
  readonly context: TokenContext
  /** How it ended; `undefined` where it has not, or where the provider did not tell. */
  readonly ending: SessionEnd | undefined
}
