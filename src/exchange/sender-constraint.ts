import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import { checkDpopReplay, checkDpopRequired, checkMtlsCert, validateDpop } from '../host/grants.ts'
import { certificateThumbprint } from '../host/instance.ts'
import type { DraftAccessToken } from '../host/models.ts'
import type { ProvenKeys } from './actor.ts'

/** The keys that the client proves in this request. I10: as in the provider's own grants. */
export interface SenderConstraint {
  readonly proven: ProvenKeys
  /** Binds an access token to the proven key or certificate. RFC 9449 §6, RFC 8705 §3. */
  bind(accessToken: DraftAccessToken): void
  /**
   * Uses the DPoP proof up.
   * @throws errors.InvalidGrant where it was used before
   */
  useProof(): Promise<void>
}

/**
 * Validates the DPoP proof and the certificate of the request.
 *
 * @throws the provider's own errors where one is missing or wrong
 */
export async function senderConstraint(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
): Promise<SenderConstraint> {
  const { clientId } = ctx.oidc.client
  const dPoP = await validateDpop(provider, ctx)
  const certificate = checkMtlsCert(provider, ctx)
  checkDpopRequired(provider, ctx, dPoP)
  return {
    proven: {
      jkt: dPoP?.thumbprint,
      x5t: certificate && certificateThumbprint(certificate),
    },
    bind(accessToken) {
      if (certificate) accessToken.setThumbprint('x5t', certificate)
      if (dPoP) accessToken.setThumbprint('jkt', dPoP.thumbprint)
    },
    useProof: () => checkDpopReplay(provider, ctx, dPoP, clientId),
  }
}
