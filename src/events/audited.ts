import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Denial } from '../public/events.ts'
import { publicCode } from '../shared/errors.ts'
import { recordersReady } from './recorders.ts'
import { beginTrail } from './trail.ts'

interface Audited<T> {
  /** The stage in the event of a refusal; absent if a refusal raises none. */
  readonly stage: Denial['stage'] | undefined
  readonly run: () => Promise<T>
  /**
   * Ends an impersonation that was issued and could not be recorded, by its id. Must return at
   * once.
   */
  readonly undo: (id: string) => void
}

/**
 * Carries out one request, which raises its one event. An issue begins when recorders are ready,
 * and resolves when its event is recorded (nothing acts before it is recorded, I13).
 */
export async function audited<T>(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { stage, run, undo }: Audited<T>,
): Promise<T> {
  // Before the trail begins, because an event of this refusal would need capacity as well.
  if (stage === 'issue') await recordersReady(provider)
  const trail = beginTrail(provider, ctx, stage ?? 'end')
  let result: T
  try {
    result = await run()
  } catch (error) {
    // The client must retry with the DPoP nonce just sent (RFC 9449 §9): no failure, no event.
    if (stage && !(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
    throw error
  }
  if (stage) await trail.succeeded(undo)
  return result
}
