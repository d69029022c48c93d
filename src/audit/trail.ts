import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Denial, ImpersonationEvent } from '../public/events.ts'

type AuditEventName =
  | 'impersonation.issued'
  | 'impersonation.granted'
  | 'impersonation.denied'
  | 'impersonation.replayed'

/** The longest reason that is told, in characters. */
const MAX_REASON = 1024
const TOKEN = /^[A-Za-z0-9._~+/-]{16,}=*$/

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Collects the facts of one request and emits its one event. */
export class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  readonly #known: Partial<Mutable<ImpersonationEvent>> = {}

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  note(facts: Partial<ImpersonationEvent>): void {
    Object.assign(this.#known, facts)
  }

  /** I6: secret values. The event never contains them, also not inside an error message. */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) {
      // Hide only values that look like a token: otherwise a client could remove any word from the
      // reason.
      if (secret && TOKEN.test(secret)) this.#secrets.push(secret)
    }
  }

  succeeded(): void {
    this.#emit(this.#stage === 'issue' ? 'impersonation.issued' : 'impersonation.granted')
  }

  /** @param told the error code that the client gets */
  failed(error: unknown, told: string): void {
    if (this.#known.redemption) {
      this.#emit('impersonation.replayed')
      return
    }
    const denial = {
      stage: this.#stage,
      error: told,
      reason: this.#withoutSecrets(reasonOf(error)).slice(0, MAX_REASON),
    }
    this.note({ denial: Object.freeze(denial) })
    this.#emit('impersonation.denied')
  }

  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '[concealed]'), text)
  }

  /**
   * Listeners run after the answer is sent, each separately: an error or a delay in one listener
   * does not affect the client or the next listener.
   */
  #emit(name: AuditEventName): void {
    const provider = this.#provider
    const ctx = this.#ctx
    if (provider.listenerCount(name) === 0) return
    const event: ImpersonationEvent = Object.freeze({ time: Date.now(), ...this.#known })
    setImmediate(() => {
      for (const listener of provider.rawListeners(name)) {
        void Promise.resolve()
          .then(() => Reflect.apply(listener, provider, [ctx, event]))
          .catch((error: unknown) => {
            process.emitWarning(
              `a listener for ${name} failed: ${error instanceof Error ? error.message : 'no Error'}`,
              'ImpersonationWarning',
            )
          })
      }
    })
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
function reasonOf(error: unknown): string {
  const messages = causesOf(error).map((cause) =>
    cause instanceof errors.OIDCProviderError
      ? (cause.error_description ?? cause.message)
      : cause instanceof Error
        ? cause.message
        : '',
  )
  return [...new Set(messages.filter((message) => message !== ''))].join(': ')
}
