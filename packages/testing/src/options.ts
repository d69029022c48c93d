import type { Authorize, GetCustomJwtClaims } from 'oidc-provider-impersonation'

/** A signing algorithm of the test provider. */
export type TestSigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

/** Options of `startTestProvider()`. */
export interface TestProviderOptions {
  /**
   * The claims of access tokens, as the deployment's provider adds them.
   * @defaultValue no claims of the deployment
   */
  readonly getCustomJwtClaims?: GetCustomJwtClaims | undefined
  /**
   * The deployment's rule, as its provider has it. If it refuses, `issueTestImpersonation`
   * rejects.
   * @defaultValue everything is allowed
   */
  readonly authorize?: Authorize | undefined
  /**
   * The algorithm of access tokens, and of the list of their status. Set it to that of your
   * resource server, `jwt.sign.alg`.
   * @defaultValue `'RS256'`, as oidc-provider signs if a resource server sets none
   */
  readonly signingAlgorithm?: TestSigningAlgorithm | undefined
}
