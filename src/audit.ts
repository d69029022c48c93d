import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { SubjectTokenContext } from './claims-hook.ts'
import type { Denial, ImpersonationEvent, Redemption } from './events.ts'

type AuditEventName =
  | 'impersonation.issued'
  | 'impersonation.granted'
  | 'impersonation.denied'
  | 'impersonation.replayed'

/** The longest reason that is told, in characters. */
const MAX_REASON = 1024
const TOKEN = /^[A-Za-z0-9._~+/-]{16,}=*$/

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A subject token was presented again. To the client it is as invalid as any other. */
export class Replay extends Error {
  readonly redemption: Redemption

  constructor(redemption: Redemption) {
    super('redeemed before')
    this.redemption = redemption
  }
}

/** What becomes known in the course of one request, and the one event that comes of it. */
export class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  readonly #known: Partial<Mutable<ImpersonationEvent>> = {}
  #context: (() => SubjectTokenContext) | undefined

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  note(facts: Partial<ImpersonationEvent>): void {
    Object.assign(this.#known, facts)
  }

  /** The context, read only where somebody listens. */
  noteContext(context: () => SubjectTokenContext): void {
    this.#context = context
  }

  /** I6: a value that must not stand in the event, whoever put it into an error. */
  conceal(secret: string | undefined): void {
    // Only what looks like a token: else whoever sends a word could blot it out of the record.
    if (secret && TOKEN.test(secret)) this.#secrets.push(secret)
  }

  succeeded(): void {
    this.#emit(this.#stage === 'issue' ? 'impersonation.issued' : 'impersonation.granted')
  }

  /** @param told the error code that the client gets */
  failed(error: unknown, told: string): void {
    const replay = causesOf(error).find((cause) => cause instanceof Replay)
    if (replay instanceof Replay) {
      this.note({ redemption: replay.redemption })
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
   * After the answer is on its way, and each listener by itself: whatever one throws, and however
   * long it takes, changes nothing for the client or for the next listener.
   */
  #emit(name: AuditEventName): void {
    const provider = this.#provider
    const ctx = this.#ctx
    if (provider.listenerCount(name) === 0) return
    const context = this.#context?.()
    const event: ImpersonationEvent = Object.freeze({
      time: Date.now(),
      ...this.#known,
      ...(context ? { context } : {}),
    })
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
