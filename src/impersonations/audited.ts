import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { emit, recordersReady } from '../events/emit.ts'
import { trailOf } from '../events/trail.ts'
import { InvalidInput } from '../options/rules.ts'
import type { Denial } from '../public/events.ts'
import type { Need } from '../public/hooks.ts'
import { publicCode } from '../shared/errors.ts'
import { afterAnswer } from './after-answer.ts'
import { endLater } from './end.ts'

/** The events of requests that let a person act. An end has an event of its own. */
const ACTING = {
  issue: 'impersonation.issued',
  exchange: 'impersonation.started',
  end: undefined,
} as const

/**
 * Carries out one request, which raises its one event. A request that lets a person act begins
 * when recorders are ready, and resolves when its event is recorded (nothing acts before it is
 * recorded, I13).
 */
export async function audited<T>(
  ctx: KoaContextWithOIDC,
  stage: Denial['stage'],
  run: () => Promise<T>,
): Promise<T> {
  const { provider } = ctx.oidc
  const acting = ACTING[stage]
  // No event if they are not ready, because it would need capacity as well.
  if (acting) await recordersReady(provider)
  let result: T
  try {
    result = await run()
  } catch (thrown) {
    const error = publicError(thrown)
    // The client must retry with the DPoP nonce just sent (RFC 9449 §8): no failure, no event.
    if (!(error instanceof errors.UseDpopNonce)) {
      // The response takes as long for a used token as for an unknown one (no oracle, I6).
      if (stage === 'exchange') afterAnswer(provider, ctx, () => reportFailure(ctx, stage, error))
      else reportFailure(ctx, stage, error)
    }
    throw error
  }
  if (acting) {
    const { facts } = trailOf(ctx)
    await emit(provider, acting, ctx, () => facts).catch((error) => {
      if (facts.id !== undefined) endLater(provider, facts.id, 'notRecorded')
      throw error
    })
  }
  return result
}

/** The error for callers of the management API. It names the wrong member of their input. */
export function publicError(error: unknown): unknown {
  return error instanceof InvalidInput ? new errors.InvalidRequest(error.message) : error
}

function reportFailure(ctx: KoaContextWithOIDC, stage: Denial['stage'], error: unknown): void {
  const { provider } = ctx.oidc
  const trail = trailOf(ctx)
  const { replayed } = trail
  if (replayed) {
    void emit(provider, 'impersonation.replayed', ctx, () => trail.facts)
    if (!replayed.end) endLater(provider, replayed.jti, 'replay')
    return
  }
  const code = stage === 'exchange' ? exchangeCode(error) : publicCode(error)
  const denial = Object.freeze({ stage, error: code, reason: trail.reasonOf(error) })
  trail.add({ denial })
  if (error instanceof Error && 'needs' in error) trail.add({ needs: error.needs as Need[] })
  void emit(provider, 'impersonation.denied', ctx, () => trail.facts)
}

/** The error code at the token endpoint, which shows every error of the protocol. */
function exchangeCode(error: unknown): string {
  return error instanceof errors.OIDCProviderError && error.expose ? error.error : 'server_error'
}
