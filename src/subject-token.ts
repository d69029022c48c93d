import { hash, randomBytes } from 'node:crypto'
import type { Provider, UnknownObject } from 'oidc-provider'
import { type Claim, claimWith } from './adapters/redemption.ts'
import type { Binding } from './binding.ts'
import type { SubjectTokenContext } from './claims-hook.ts'
import type { SubjectTokenRecord } from './events.ts'
import { deepFreeze } from './freeze.ts'
import { IMPERSONATED_JTI_PREFIX } from './jwt-access-token.ts'
import { type TokenBase, tokenBaseOf } from './oidc-provider-internals.ts'

/** Bytes of randomness in a subject token's value: 256 bits, 43 characters of base64url. */
const VALUE_BYTES = 32

/** What a subject token stands for. */
export interface SubjectTokenProperties {
  /** The user to be impersonated. */
  accountId: string
  /** The machine-to-machine client that asked for it. */
  clientId: string
  /** The `context` of the request, as JSON. Kept as text: not every store keeps every object. */
  context: string
  /** What it is bound to, as JSON; absent for nothing. */
  binding?: string | undefined
  /** Seconds; absent for as long as subject tokens live. */
  expiresIn?: number | undefined
}

/** A subject token as stored. Its id is the SHA-256 of its value; the value is stored nowhere. */
export interface SubjectToken
  extends Omit<TokenBase, 'clientId' | 'exp' | 'jti' | 'kind'>,
    SubjectTokenRecord {
  /** When it was redeemed, as the adapter has it; absent before. */
  readonly consumed?: unknown
  /** What it is bound to. */
  readonly bindingObject: Binding
  /**
   * The `jti` of the one JWT that can be issued for it: the id, which is no secret, so that a replay
   * can name what the first redemption issued, and an API's log leads to the audit.
   */
  readonly accessTokenId: string
  /**
   * Redeems the token. Resolves `true` for exactly one caller, ever.
   * @throws when the storage did not say who won.
   */
  redeem(): Promise<boolean>
}

/** The model: oidc-provider's own way to store a token, under the name `SubjectToken`. */
export interface SubjectTokenModel {
  /** Creates a subject token. Its `save()` resolves the value, once. */
  create(properties: SubjectTokenProperties): SubjectToken
  /**
   * The id that the value has or would have, and its token, if there is one that has not expired.
   * It may have been redeemed: see `consumed`.
   */
  find(value: string): Promise<{ id: string; token: SubjectToken | undefined }>
}

/**
 * Defines the model for a provider and settles how its adapter keeps single use.
 *
 * @throws TypeError for a custom adapter without `consumeOnce`.
 */
export function defineSubjectToken(
  provider: Provider,
  singleUse: 'adapter' | 'per-process',
): SubjectTokenModel {
  const BaseToken = tokenBaseOf(provider)

  class SubjectToken extends BaseToken {
    // The class name is the model's kind, adapter name, TTL key and event prefix. Said in words,
    // because a bundler may rename the class.
    static {
      Object.defineProperty(SubjectToken, 'name', { value: 'SubjectToken' })
    }

    static override get IN_PAYLOAD(): string[] {
      return [...BaseToken.IN_PAYLOAD, 'iss', 'accountId', 'context', 'binding', 'consumed']
    }

    // `declare`: a field of its own would wipe what the base class read from the payload.
    declare iss: string
    declare accountId: string
    declare clientId: string
    declare context: string
    declare binding?: string
    declare consumed?: unknown
    #value: string | undefined

    get contextObject(): SubjectTokenContext {
      return deepFreeze(JSON.parse(this.context))
    }

    get accessTokenId(): string {
      return `${IMPERSONATED_JTI_PREFIX}${this.jti}`
    }

    get bindingObject(): Binding {
      return this.binding === undefined ? {} : deepFreeze(JSON.parse(this.binding))
    }

    override generateTokenId(): string {
      this.#value = randomBytes(VALUE_BYTES).toString('base64url')
      return idOf(this.#value)
    }

    override async getValueAndPayload(): Promise<{ value: string; payload?: UnknownObject }> {
      if (this.#value === undefined) {
        throw new TypeError('the value of a stored subject token is not known')
      }
      return { ...(await super.getValueAndPayload()), value: this.#value }
    }

    async redeem(): Promise<boolean> {
      const won = await claim(this.jti, this.exp ?? 0)
      // As emit('consumed') would, without deriving the event's name from the model's each time.
      if (won) provider.emit('subject_token.consumed', this)
      return won
    }
  }

  const claim: Claim = claimWith(SubjectToken.adapter, singleUse)

  return {
    create: (properties) => new SubjectToken({ ...properties, iss: provider.issuer }),
    async find(value) {
      const id = idOf(value)
      const found = await SubjectToken.find(id)
      if (!(found instanceof SubjectToken)) return { id, token: undefined }
      // Never another record than the one that was asked for, whatever the store's collation; nor
      // that of another provider on the same store.
      if (found.jti !== id || found.iss !== provider.issuer) return { id, token: undefined }
      // The provider's clockTolerance is for other people's clocks. This is our own.
      if (found.exp === undefined || found.isExpired) return { id, token: undefined }
      return { id, token: found }
    },
  }
}

function idOf(value: string): string {
  return hash('sha256', value, 'base64url')
}
