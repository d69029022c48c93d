import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { ImpersonationEvent } from '../public/events.ts'

/** The longest reason in an event, in characters. */
const MAX_REASON_LENGTH = 1024
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]{16,}=*$/
const TRAIL = Symbol('the audit trail')

/** The audit trail of a request. */
export function trailOf(ctx: KoaContextWithOIDC): AuditTrail {
  // Its own: the context of a call in the process inherits from the request's.
  if (!Object.hasOwn(ctx, TRAIL)) ctx[TRAIL] = new AuditTrail()
  return ctx[TRAIL]
}

/** Collects the facts of one request for its one event. */
class AuditTrail {
  readonly facts: Partial<ImpersonationEvent> = {}
  readonly #secrets: string[] = []
  /** The subject token that was presented again. */
  replayed: { readonly jti: string; readonly end?: object | undefined } | undefined

  add(facts: Partial<ImpersonationEvent>): void {
    Object.assign(this.facts, facts)
  }

  /**
   * Keeps secret values out of the event, also out of messages of errors (no leak, I6). Only values
   * that look like a token are hidden. Otherwise a client could remove any word from the reason.
   */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) {
      if (secret && TOKEN_PATTERN.test(secret)) this.#secrets.push(secret)
    }
  }

  /** The reason of a refusal, for its event. */
  reasonOf(error: unknown): string {
    return this.#secrets
      .reduce((text, secret) => text.replaceAll(secret, '[concealed]'), joinMessages(error))
      .slice(0, MAX_REASON_LENGTH)
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
