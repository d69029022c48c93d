import { hash, randomBytes } from 'node:crypto'
import type { Provider, UnknownObject } from 'oidc-provider'
import { type TokenBase, tokenBaseOf } from '../host/models.ts'
import type { Binding } from '../public/binding.ts'
import type { SubjectTokenContext } from '../public/claims-hook.ts'
import type { SubjectTokenRecord } from '../public/events.ts'
import { IMPERSONATED_JTI_PREFIX } from '../shared/constants.ts'
import { deepFreeze } from '../shared/json.ts'
import { type ConsumeOnce, consumerOf } from './single-use.ts'
import { checkStorage } from './storage-check.ts'

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
  /**
   * What it is bound to, as JSON; never absent: a token whose binding was lost does not count as
   * unbound.
   */
  binding: string
  /** Seconds; absent means the full lifetime of subject tokens. */
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
  /** @throws Error that says in one sentence why the storage cannot keep subject tokens */
  checkStorage(): Promise<void>
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
    // The class name is the model's kind, adapter name, TTL key and event prefix. It is set as a
    // string, because a bundler may rename the class.
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
    declare binding: string
    declare consumed?: unknown
    #value: string | undefined
    #binding: Binding | undefined
    #context: SubjectTokenContext | undefined

    get contextObject(): SubjectTokenContext {
      this.#context ??= deepFreeze<SubjectTokenContext>(JSON.parse(this.context))
      return this.#context
    }

    get accessTokenId(): string {
      return `${IMPERSONATED_JTI_PREFIX}${this.jti}`
    }

    get bindingObject(): Binding {
      this.#binding ??= deepFreeze<Binding>(JSON.parse(this.binding))
      return this.#binding
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
      // The token may have expired since it was found, and some storages do not check the expiry.
      if (this.isExpired) return false
      const won = await consumeOnce(this.jti, this.exp ?? 0)
      // Does the same as emit('consumed'), without building the event name each time.
      if (won) provider.emit('subject_token.consumed', this)
      return won
    }
  }

  const consumeOnce: ConsumeOnce = consumerOf(SubjectToken.adapter, singleUse)

  return {
    checkStorage: () => checkStorage(SubjectToken.adapter, consumeOnce),
    create: (properties) => new SubjectToken({ ...properties, iss: provider.issuer }),
    async find(value) {
      const id = idOf(value)
      const found = await SubjectToken.find(id)
      if (!(found instanceof SubjectToken)) return { id, token: undefined }
      // Accept only the requested record: the store's collation may match another id, or another
      // provider may use the same store.
      if (found.jti !== id || found.iss !== provider.issuer) return { id, token: undefined }
      // The provider's clockTolerance is for clocks of other servers. This time is our own.
      if (found.exp === undefined || found.isExpired) return { id, token: undefined }
      return { id, token: found }
    },
  }
}

function idOf(value: string): string {
  return hash('sha256', value, 'base64url')
}
