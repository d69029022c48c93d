import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Denial, ImpersonationEvent } from '../public/events.ts'
import type { Need } from '../public/hooks.ts'
import { emit } from './emit.ts'

/** The events of requests that succeed. An end has an event of its own. */
const SUCCESS_EVENTS = {
  issue: 'impersonation.issued',
  exchange: 'impersonation.started',
  end: undefined,
} as const

/** The longest reason in an event, in characters. */
const MAX_REASON_LENGTH = 1024
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]{16,}=*$/

const TRAIL = Symbol('the audit trail of the request')

/** The audit trail of a request. */
export function trailOf(ctx: KoaContextWithOIDC): AuditTrail {
  const trail: AuditTrail | undefined = ctx[TRAIL]
  if (!trail) throw new TypeError('the request has no audit trail')
  return trail
}

/** Begins the audit trail of a request. */
export function beginTrail(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  stage: Denial['stage'],
): AuditTrail {
  const trail = new AuditTrail(provider, ctx, stage)
  ctx[TRAIL] = trail
  return trail
}

/** Collects the facts of one request and emits its one event. */
class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  /** In the order they were added. They are joined if there is a listener. */
  readonly #parts: Partial<ImpersonationEvent>[] = []
  /** The subject token that was presented again. */
  replayed: { readonly jti: string; readonly end?: object | undefined } | undefined

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  add(facts: Partial<ImpersonationEvent>): void {
    this.#parts.push(facts)
  }

  /**
   * Secret values. The event never contains them, also not inside an error message (no leak, I6).
   */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) if (secret) this.#secrets.push(secret)
  }

  /**
   * Resolves when the response may leave.
   *
   * @param undo - ends the impersonation that was issued, by its id (nothing acts before it is
   * recorded, I13)
   * @throws NotRecorded if it is not recorded in time
   */
  async succeeded(undo: (id: string) => void): Promise<void> {
    const name = SUCCESS_EVENTS[this.#stage]
    if (name === undefined) return
    try {
      await emit(this.#provider, name, this.#ctx, () => this.#facts())
    } catch (error) {
      const { id } = this.#facts()
      if (id !== undefined) undo(id)
      throw error
    }
  }

  /** @param code - the error code that the client gets */
  failed(error: unknown, code: string): void {
    const name = this.replayed ? 'impersonation.replayed' : 'impersonation.denied'
    if (name === 'impersonation.denied') {
      const reason = this.#withoutSecrets(joinMessages(error)).slice(0, MAX_REASON_LENGTH)
      this.add({ denial: Object.freeze({ stage: this.#stage, error: code, reason }) })
      if (error instanceof Error && 'needs' in error) this.add({ needs: error.needs as Need[] })
    }
    void emit(this.#provider, name, this.#ctx, () => this.#facts())
  }

  #withoutSecrets(text: string): string {
    // Hide only values that look like a token. Otherwise a client could remove any word from the
    // reason.
    return this.#secrets
      .filter((secret) => TOKEN_PATTERN.test(secret))
      .reduce((rest, secret) => rest.replaceAll(secret, '[concealed]'), text)
  }

  #facts(): Partial<ImpersonationEvent> {
    return Object.assign({}, ...this.#parts)
  }
}

/** The messages from the outermost error to its innermost cause. */
function joinMessages(error: unknown): string {
  const messages = new Set<string>()
  let cause = error
  // Code of the deployment may throw an error whose members throw. Nobody catches it after the
  // answer, and the process would end.
  try {
    for (let depth = 0; cause instanceof Error && depth < 8; depth += 1) {
      const { message } = cause
      const text =
        cause instanceof errors.OIDCProviderError ? (cause.error_description ?? message) : message
      messages.add(String(text))
      cause = cause.cause
    }
  } catch {
    messages.add('an error that cannot be read')
  }
  messages.delete('')
  return [...messages].join(': ')
}
