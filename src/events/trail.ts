import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Denial, ImpersonationEvent } from '../public/events.ts'
import type { Need } from '../public/hooks.ts'
import { publicCode } from '../shared/errors.ts'
import { emitLater, emitRecorded, recordersReady } from './recorders.ts'

/** What comes of a request that succeeds. An end has an event of its own. */
const SUCCESS_EVENTS = {
  issue: 'impersonation.issued',
  exchange: 'impersonation.started',
  end: undefined,
} as const

/** The longest reason in an event, in characters. */
const MAX_REASON_LENGTH = 1024
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]{16,}=*$/

/** Collects the facts of one request and emits its one event. */
export class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  /** In the order they were added. They are put together where there is a listener. */
  readonly #parts: Partial<ImpersonationEvent>[] = []

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  add(facts: Partial<ImpersonationEvent>): void {
    this.#parts.push(facts)
  }

  /** I6: secret values. The event never contains them, also not inside an error message. */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) if (secret) this.#secrets.push(secret)
  }

  /**
   * Resolves when the answer may leave.
   *
   * @param undo ends what was issued, by its id: nothing acts before it is recorded (I13)
   * @throws NotRecorded where it is not recorded in time
   */
  async succeeded(undo: (id: string) => void): Promise<void> {
    const name = SUCCESS_EVENTS[this.#stage]
    if (name === undefined) return
    try {
      await emitRecorded(this.#provider, name, this.#ctx, () => this.#facts())
    } catch (error) {
      const { id } = this.#facts()
      if (id !== undefined) undo(id)
      throw error
    }
  }

  /** The id of the subject token that was presented again, where it was. */
  get replayed(): string | undefined {
    const { redemption, id } = this.#facts()
    return redemption ? id : undefined
  }

  /** @param code the error code that the client gets */
  failed(error: unknown, code: string): void {
    if (this.#facts().redemption) {
      this.#emit('impersonation.replayed')
      return
    }
    const denial = {
      stage: this.#stage,
      error: code,
      reason: this.#withoutSecrets(joinMessages(error)).slice(0, MAX_REASON_LENGTH),
    }
    this.add({ denial: Object.freeze(denial) })
    if (error instanceof Error && 'needs' in error) this.add({ needs: error.needs as Need[] })
    this.#emit('impersonation.denied')
  }

  #withoutSecrets(text: string): string {
    // Hide only values that look like a token: otherwise a client could remove any word from the
    // reason.
    return this.#secrets
      .filter((secret) => TOKEN_PATTERN.test(secret))
      .reduce((rest, secret) => rest.replaceAll(secret, '[concealed]'), text)
  }

  #facts(): Partial<ImpersonationEvent> {
    return Object.assign({}, ...this.#parts)
  }

  #emit(name: 'impersonation.denied' | 'impersonation.replayed'): void {
    emitLater(this.#provider, name, this.#ctx, () => this.#facts())
  }
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(cause)
  }
  return causes
}

/** The messages from the outermost error to its innermost cause. */
function joinMessages(error: unknown): string {
  const messages = causesOf(error).map((cause) =>
    cause instanceof errors.OIDCProviderError
      ? (cause.error_description ?? cause.message)
      : cause instanceof Error
        ? cause.message
        : '',
  )
  return [...new Set(messages.filter((message) => message !== ''))].join(': ')
}

interface Audited<T> {
  /** What an event of a refusal says; absent where a refusal raises none. */
  readonly stage: Denial['stage'] | undefined
  readonly run: (trail: AuditTrail) => Promise<T>
  /** Takes back what was issued and could not be recorded, by its id; must return at once. */
  readonly undo: (id: string) => void
}

/**
 * Carries out one request, which raises its one event. I13: an issue begins when recorders are ready,
 * and resolves when its event is recorded.
 */
export async function audited<T>(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { stage, run, undo }: Audited<T>,
): Promise<T> {
  // Before there is anything to report: an event of this refusal would need capacity as well.
  if (stage === 'issue') await recordersReady(provider)
  const trail = new AuditTrail(provider, ctx, stage ?? 'end')
  let result: T
  try {
    result = await run(trail)
  } catch (error) {
    // The client must retry with the DPoP nonce just sent (RFC 9449 §9): no failure, no event.
    if (stage && !(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
    throw error
  }
  if (stage) await trail.succeeded(undo)
  return result
}
