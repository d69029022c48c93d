import type { KoaContextWithOIDC } from 'oidc-provider'

/** When the user signed in, as the source of this token has it. */
export function authTimeOf(ctx: KoaContextWithOIDC | undefined): number | undefined {
  const { authorizationCode, refreshToken, deviceCode, session, entities } = ctx?.oidc ?? {}
  return (
    authorizationCode?.authTime ??
    refreshToken?.authTime ??
    deviceCode?.authTime ??
    entities?.BackchannelAuthenticationRequest?.authTime ??
    session?.authTime()
  )
}
