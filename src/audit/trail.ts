import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Denial, ImpersonationEvent } from '../public/events.ts'
import { emitLater } from './emit.ts'

type AuditEventName =
  | 'impersonation.issued'
  | 'impersonation.granted'
  | 'impersonation.denied'
  | 'impersonation.replayed'

/** The longest reason that is told, in characters. */
const MAX_REASON = 1024
const TOKEN = /^[A-Za-z0-9._~+/-]{16,}=*$/

/** Collects the facts of one request and emits its one event. */
export class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  /** In the order they were noted. They are put together where there is a listener. */
  readonly #notes: Partial<ImpersonationEvent>[] = []

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  note(facts: Partial<ImpersonationEvent>): void {
    this.#notes.push(facts)
  }

  /** I6: secret values. The event never contains them, also not inside an error message. */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) if (secret) this.#secrets.push(secret)
  }

  /** An end has an event of its own. */
  succeeded(): void {
    if (this.#stage === 'issue') this.#emit('impersonation.issued')
    if (this.#stage === 'exchange') this.#emit('impersonation.granted')
  }

  /** The id of the subject token that was presented again, where it was. */
  get replayed(): string | undefined {
    const { redemption, id } = this.#facts()
    return redemption ? id : undefined
  }

  /** @param told the error code that the client gets */
  failed(error: unknown, told: string): void {
    if (this.#facts().redemption) {
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
    // Hide only values that look like a token: otherwise a client could remove any word from the
    // reason.
    return this.#secrets
      .filter((secret) => TOKEN.test(secret))
      .reduce((rest, secret) => rest.replaceAll(secret, '[concealed]'), text)
  }

  #facts(): Partial<ImpersonationEvent> {
    return Object.assign({}, ...this.#notes)
  }

  #emit(name: AuditEventName): void {
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
