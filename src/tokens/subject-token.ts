import { randomBytes } from 'node:crypto'
import type { Adapter, AdapterPayload, Provider, UnknownObject } from 'oidc-provider'
import { checkStorage } from '../adapters/check.ts'
import {
  type ConsumptionNote,
  type EndingAdapter,
  hasEnding,
  missingForEnding,
} from '../adapters/contract.ts'
import { emitSafely } from '../host/instance.ts'
import { type TokenBase, tokenBaseOf } from '../host/models.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { SubjectTokenRecord } from '../public/events.ts'
import type { Binding, SubjectTokenContext } from '../public/hooks.ts'
import type { Impersonation, ImpersonationEnd } from '../public/objects.ts'
import { IMPERSONATED_JTI_PREFIX } from '../shared/constants.ts'
import { deepFreeze } from '../shared/json.ts'
import { sha256 } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'
import { statusListUri } from '../shared/uris.ts'
import { warn } from '../shared/warn.ts'
import { createConsumer, onceRunner } from './single-use.ts'

/** The largest difference between the clocks of the provider's processes, in seconds. */
export const MAX_CLOCK_DIFFERENCE = 5

/** The largest difference of clocks that the guard of a resource server forgives, in seconds. */
export const MAX_CLOCK_TOLERANCE = 300

/**
 * The least time for which the record of an impersonation outlives its access token, in seconds.
 */
const RETENTION_MARGIN_SECONDS = MAX_CLOCK_TOLERANCE + 30

/**
 * The time after the last moment of redemption for which an access token can be valid anywhere, in
 * seconds, with a lifetime of at most `maxTtl`. Its record is kept for that long.
 */
export function keptAfterRedemptionFor(maxTtl: number): number {
  return maxTtl + RETENTION_MARGIN_SECONDS
}

/** The content of a subject token, as it is stored. */
export interface StoredProperties extends Pick<Impersonation, 'permit' | 'review'> {
  /** The user to be impersonated. */
  accountId: string
  /** The machine-to-machine client that requested it. */
  clientId: string
  /** The `context` of the request as JSON text, because not every store keeps every object. */
  context: string
  /**
   * The binding as JSON. It is never absent, because a token whose binding was lost must not count
   * as unbound.
   */
  binding: string
  /** The operator that it is bound to, for lists by operator. */
  actor?: string | undefined
  /** The status list of the access token to come, and the index in it. */
  statusList?: string | undefined
  statusIndex?: number | undefined
}

/** A record: those properties, and later changes. */
interface StoredRecord extends StoredProperties {
  /** The issuer that the record belongs to. */
  iss: string
  /** The time of the redemption, as the adapter stores it; absent before. */
  consumed?: unknown
  /** The result of the redemption, if the adapter keeps it. */
  note?: Redemption | undefined
  end?: StoredEnd | undefined
  /** The time until which the storage keeps the record, in seconds since the epoch. */
  keptUntil?: number | undefined
}

/** The members of a record beyond those of every token. */
const RECORD_MEMBERS = [
  'iss',
  'accountId',
  'context',
  'binding',
  'actor',
  'statusList',
  'statusIndex',
  'permit',
  'review',
  'keptUntil',
  'consumed',
  'note',
  'end',
]

/** The claim `status`: draft-ietf-oauth-status-list-21, section 6.2. */
export interface TokenStatus {
  readonly status_list: { readonly idx: number; readonly uri: string }
}

/** The end of an impersonation, as it is stored. */
export interface StoredEnd extends ImpersonationEnd {
  /** The attempt that ended it. If the reply was lost, the record shows whose end it is. */
  readonly attempt?: string | undefined
}

/** The result of an exchange, as it is stored with the redemption. */
export interface Redemption
  extends ConsumptionNote,
    Pick<Impersonation, 'permit' | 'review' | 'scope' | 'software'> {
  /** The operator's account id. */
  readonly actor?: string | undefined
  /** The grant of the actor token, if known. */
  readonly grant?: string | undefined
  readonly client: string
  readonly resource: string
  readonly format: string
  /** The expiry of the access token, in seconds since the epoch. */
  readonly expiresAt: number
}

/** A subject token as stored. Its id is the SHA-256 of its value. The value is stored nowhere. */
export interface SubjectToken
  extends Omit<TokenBase, 'clientId' | 'exp' | 'jti' | 'kind'>,
    Readonly<StoredRecord>,
    SubjectTokenRecord {
  /**
   * The maximum lifetime of its access token, in seconds. What can act can be ended (I14), so it
   * is 0 if the end could not be found for so long, because the token was issued without `ending`.
   * It is Infinity if this process has no `ending`.
   */
  readonly longestLife: number
  /** The claim `status` of the access token; `undefined` if its end could not be seen. */
  readonly tokenStatus: TokenStatus | undefined
  readonly bindingObject: Binding
  /**
   * The `jti` of the one JWT that can be issued for it. It is the id, which is no secret, so that
   * a replay can name the token of the first redemption, and an API's log leads to the audit.
   */
  readonly accessTokenId: string
  /**
   * Redeems the token, and stores the redemption. Resolves `true` for exactly one caller, ever. It
   * also resolves `false` if the token has expired or ended.
   * @throws if the storage did not report who won.
   */
  redeem(redemption: Redemption): Promise<boolean>
}

/**
 * Defines the model for a provider, which is oidc-provider's own way to store a token. It selects
 * how the adapter keeps single use, and whether the adapter can list and end impersonations.
 *
 * @throws TypeError for a custom adapter without `consumeOnce`, and if `ending.enabled` is `true`
 * and the adapter cannot do it
 */
export function defineSubjectToken(
  provider: Provider,
  { accessToken, ending: endingOptions, subjectToken }: ResolvedOptions,
) {
  const BaseToken = tokenBaseOf<StoredRecord>(provider)

  class StoredSubjectToken extends BaseToken {
    // The class name is the model's kind, adapter name, TTL key and event prefix. It is set as a
    // string, because a bundler may rename the class.
    static {
      Object.defineProperty(StoredSubjectToken, 'name', { value: 'SubjectToken' })
    }

    static override get IN_PAYLOAD(): string[] {
      return [...BaseToken.IN_PAYLOAD, ...RECORD_MEMBERS]
    }

    #value: string | undefined
    #binding: Binding | undefined
    #context: SubjectTokenContext | undefined

    get contextObject(): SubjectTokenContext {
      this.#context ??= deepFreeze<SubjectTokenContext>(JSON.parse(this.context))
      return this.#context
    }

    get tokenStatus(): TokenStatus | undefined {
      const { iss, statusList, statusIndex: idx } = this
      if (statusList === undefined || idx === undefined) return undefined
      return { status_list: { idx, uri: statusListUri(iss, statusList) } }
    }

    get longestLife(): number {
      const { keptUntil } = this
      if (keptUntil === undefined) return kept > 0 ? 0 : Number.POSITIVE_INFINITY
      // The process that issued it has set the limit. A store may have changed it.
      if (!Number.isSafeInteger(keptUntil)) return 0
      return keptUntil - RETENTION_MARGIN_SECONDS - epochSeconds()
    }

    get accessTokenId(): string {
      return `${IMPERSONATED_JTI_PREFIX}${this.jti}`
    }

    get bindingObject(): Binding {
      this.#binding ??= deepFreeze<Binding>(JSON.parse(this.binding))
      return this.#binding
    }

    /**
     * Emits as the base class does, which builds the name from the model's each time and may
     * throw.
     */
    override emit(event: string): void {
      emitSafely(provider, `subject_token.${event}`, this)
    }

    override generateTokenId(): string {
      // 256 bits, 43 characters
      this.#value = randomBytes(32).toString('base64url')
      return sha256(this.#value)
    }

    override async getValueAndPayload(): Promise<{ value: string; payload?: UnknownObject }> {
      if (this.#value === undefined) {
        throw new TypeError('the value of a stored subject token is not known')
      }
      const { payload } = await super.getValueAndPayload()
      if (payload) {
        // One moment of issue, for the record and for readers of this token.
        this.exp = Number(payload.exp)
        payload.iat = this.iat = this.exp - this.expiration
        if (kept > 0) payload.keptUntil = this.exp + kept
      }
      return { value: this.#value, ...(payload ? { payload } : {}) }
    }

    /** The record outlives the redemption, because it has the state of the access token. */
    override get remainingTTL(): number {
      return super.remainingTTL + kept
    }

    async redeem(redemption: Redemption): Promise<boolean> {
      // The token may have expired since it was found, and some storages do not check the expiry.
      if (this.isExpired) return false
      const known = { iat: this.iat, expiresIn: this.remainingTTL }
      const won = await consumeOnce(this.jti, redemption, known)
      if (!won) return false
      this.emit('consumed')
      Object.assign(this, { consumed: epochSeconds(), note: redemption })
      return true
    }
  }

  const { adapter } = StoredSubjectToken
  const consumeOnce = createConsumer(adapter, subjectToken.singleUse)
  const ending = chooseEnding(adapter, endingOptions)
  /**
   * The time for which the storage keeps a record after the last moment of redemption, in seconds.
   */
  const kept = ending ? keptAfterRedemptionFor(accessToken.maxTtl) : 0

  function ours(found: TokenBase | undefined): SubjectToken | undefined {
    if (!(found instanceof StoredSubjectToken)) return undefined
    // Another provider may use the same store, and other records of the plugin are no tokens.
    if (found.iss !== provider.issuer || typeof found.accountId !== 'string') return undefined
    return found.exp === undefined ? undefined : found
  }

  /** Finds the token by its id, also if it is redeemed, ended or expired. */
  async function findById(id: string): Promise<SubjectToken | undefined> {
    // The provider's clockTolerance is for clocks of other servers. This time is our own.
    const token = ours(await StoredSubjectToken.find(id, { ignoreExpiration: true }))
    // Accept only the requested record: the store's collation may match another id.
    return token?.jti === id ? token : undefined
  }

  return {
    /** The adapter of the records, if another process may end impersonations by it. */
    endable: hasEnding(adapter) ? adapter : undefined,
    /** The same, if this process may list and end them, too. */
    ending,
    /**
     * @throws Error with the reason, in one sentence, why the storage cannot keep subject tokens
     */
    checkStorage: () => checkStorage(adapter, consumeOnce),
    /** Creates a token. Its `save()` resolves the value, once. */
    create(given: StoredProperties): SubjectToken {
      // Assigned, because the constructors copy their argument three times, member by member.
      return Object.assign(new StoredSubjectToken({}), given, { iss: provider.issuer })
    },
    findById,
    idOf: sha256,
    runOnce: onceRunner(adapter, consumeOnce),
    /** Makes a token from a record of the adapter; `undefined` for another provider's record. */
    fromRecord: (record: AdapterPayload) => ours(StoredSubjectToken.instantiate(record)),
  }
}

/**
 * Returns the storage adapter, if it can list and end impersonations, and the option does not
 * disable it.
 *
 * @throws TypeError if `ending.enabled` is `true` and the adapter cannot do it
 */
function chooseEnding(
  adapter: Adapter,
  { enabled }: ResolvedOptions['ending'],
): EndingAdapter | undefined {
  if (enabled === false) return undefined
  if (hasEnding(adapter)) return adapter
  const missing = missingForEnding(adapter).join(', ')
  if (enabled === true) {
    throw new TypeError(
      `features.impersonation.ending.enabled is true, but the storage adapter of SubjectToken lacks ${missing}: ` +
        'use an adapter of this package, keep subject tokens beside yours with withSubjectTokens, or add the methods (node_modules/oidc-provider-impersonation/docs/adapters.md)',
    )
  }
  warn(
    'CANNOT_END',
    `impersonations cannot be seen or ended: the storage adapter of SubjectToken lacks ${missing}. ` +
      'To accept that, set features.impersonation.ending.enabled: false',
  )
  return undefined
}
