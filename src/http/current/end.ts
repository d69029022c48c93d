import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { endsRecorded } from '../../events/recorders.ts'
import { AuditTrail } from '../../events/trail.ts'
import { checkCurrentEnd } from '../../impersonations/inputs.ts'
import { MAX_CHAIN, parseAct, personAndSoftware } from '../../shared/act.ts'
import { publicCode } from '../../shared/errors.ts'
import { AccessTokenRejected } from '../../tokens/access-token.ts'
import { asRequest, bodyReader, hasBody } from '../json-body.ts'
import { asInvalidToken, type CurrentParts, currentToken } from './current-token.ts'

/** The body is a few words. */
const MAX_BODY_BYTES = 1024

/** `POST {issuer}/impersonations/current/end`: ends the impersonation of the token. */
export function endCurrent(provider: Provider, { verifier, impersonations }: CurrentParts) {
  const readJson = bodyReader(MAX_BODY_BYTES)

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const trail = new AuditTrail(provider, ctx, 'end')
    try {
      await end(ctx, trail)
    } catch (thrown) {
      const error = asInvalidToken(thrown)
      if (!(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
      throw error
    }
    await endsRecorded(provider)
    ctx.status = 204
  }

  async function end(ctx: KoaContextWithOIDC, trail: AuditTrail): Promise<void> {
    const verify = verifier.verifyUserToken
    const token = await currentToken(provider, ctx, { verify, verifier, trail })
    const { reason } = hasBody(ctx)
      ? await asRequest(async () => checkCurrentEnd(await readJson(ctx)))
      : {}
    const { actor: by } = personAndSoftware(parseAct(token.act, MAX_CHAIN))
    const how = { ...(by ? { by: { sub: by.sub } } : {}), ...(reason ? { reason } : {}) }
    const before = await impersonations.get(token.impersonationId)
    // Also of one that has ended: the event of an end whose outcome was not known may be due.
    const after = await impersonations.end(token.impersonationId, how, ctx)
    if (!before || before.state === 'ended') {
      throw new AccessTokenRejected('its impersonation has ended already')
    }
    if (after?.state !== 'ended') throw new AccessTokenRejected('its impersonation has expired')
  }
}
