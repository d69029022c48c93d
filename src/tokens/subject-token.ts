import { hash, randomBytes } from 'node:crypto'
import type { AdapterPayload, Provider, UnknownObject } from 'oidc-provider'
import { checkStorage } from '../adapters/check.ts'
import type { ConsumptionNote, EndingAdapter } from '../adapters/contract.ts'
import { emitSafely } from '../host/instance.ts'
import { type TokenBase, tokenBaseOf } from '../host/models.ts'
import { slot } from '../host/slot.ts'
import { optionsOf } from '../options/defaults.ts'
import type { SubjectTokenRecord } from '../public/events.ts'
import type { Actor, Binding, SubjectTokenContext } from '../public/hooks.ts'
import type { ImpersonationEnd } from '../public/objects.ts'
import { IMPERSONATED_JTI_PREFIX } from '../shared/constants.ts'
import { deepFreeze } from '../shared/json.ts'
import { epochSeconds } from '../shared/time.ts'
import { statusListUri } from '../shared/uris.ts'
import { chooseEnding } from './ending-adapter.ts'
import { type ConsumeOnce, createConsumer } from './single-use.ts'

/** How far the clocks of the provider's processes may differ, in seconds. */
export const MAX_CLOCK_DIFFERENCE = 5

/** The largest difference of clocks that the guard of a resource server forgives, in seconds. */
export const MAX_CLOCK_TOLERANCE = 300

/** How long the record of an impersonation outlives its access token at least, in seconds. */
const RETENTION_MARGIN_SECONDS = MAX_CLOCK_TOLERANCE + 30

/**
 * How long after the last moment of redemption an access token can be valid anywhere, in seconds,
 * where it lives for `maxTtl` at most. For so long its record is kept.
 */
export function keptAfterRedemptionFor(maxTtl: number): number {
  return maxTtl + RETENTION_MARGIN_SECONDS
}

/**
 * What can act can be ended (I14): the longest that an access token may live that comes of a record now, in
 * seconds, so that the record, by which it can be ended, outlives it. The process that issued the subject
 * token has settled that, whatever the options of the one that exchanges it.
 *
 * @param keptUntil until when the record is kept, as it says: in seconds since the epoch
 */
function lifeUnderRecord(keptUntil: number): number {
  // A store may have made something else of it.
  if (!Number.isSafeInteger(keptUntil)) return 0
  return keptUntil - RETENTION_MARGIN_SECONDS - epochSeconds()
}

/** What a subject token stands for, as it is stored. */
interface StoredProperties {
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
  /** The operator that it is bound to, by whom it is listed. */
  actor?: string | undefined
  /** The status list of the access token to come, and the index in it. */
  statusList?: string | undefined
  statusIndex?: number | undefined
  /** The permit that allowed it, and why a person has to look at it afterwards, as the rule said at issue. */
  permit?: string | readonly string[] | undefined
  review?: string | undefined
}

/** A record: those, and what happens to it. */
interface StoredRecord extends StoredProperties {
  /** The issuer that the record belongs to. */
  iss: string
  /** When it was redeemed, as the adapter has it; absent before. */
  consumed?: unknown
  /** What the redemption led to, where the adapter keeps it. */
  note?: Redemption | undefined
  end?: StoredEnd | undefined
  /** Until when the storage keeps the record, in seconds since the epoch. */
  keptUntil?: number | undefined
}

/** What a record holds beside the members of every token. */
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
  /** Names the attempt to end it: where the reply was lost, the record tells whose end it is. */
  readonly attempt?: string | undefined
}

/** What an exchange led to, as it is stored with the redemption. */
export interface Redemption extends ConsumptionNote {
  /** The operator's account id. */
  readonly actor?: string | undefined
  readonly act?: Actor | undefined
  /** The grant of the actor token, where it is known. */
  readonly grant?: string | undefined
  readonly client: string
  /** The client's id again, where it is software that acts, which is always named (I16). */
  readonly software?: string | undefined
  readonly resource: string
  readonly scope?: string | undefined
  /** As the rule said at the exchange. */
  readonly permit?: string | readonly string[] | undefined
  readonly review?: string | undefined
  readonly format: string
  /** When the access token expires, in seconds since the epoch. */
  readonly expiresAt: number
}

/** A subject token as stored. Its id is the SHA-256 of its value; the value is stored nowhere. */
export interface SubjectToken
  extends Omit<TokenBase, 'clientId' | 'exp' | 'jti' | 'kind'>,
    Readonly<StoredRecord>,
    SubjectTokenRecord {
  /**
   * What can act can be ended (I14): the longest that its access token may live, in seconds. 0 where its end
   * could not be found for so long: it was issued where no impersonation can be ended. Infinite where that is
   * so here.
   */
  readonly longestLife: number
  /** The claim `status` of the access token; `undefined` where its end could not be seen. */
  readonly tokenStatus: TokenStatus | undefined
  readonly bindingObject: Binding
  /**
   * The `jti` of the one JWT that can be issued for it: the id, which is no secret, so that a replay
   * can name what the first redemption issued, and an API's log leads to the audit.
   */
  readonly accessTokenId: string
  /**
   * Redeems the token, and keeps what for. Resolves `true` for exactly one caller, ever; `false`
   * where it has expired or ended as well.
   * @throws when the storage did not say who won.
   */
  redeem(redemption: Redemption): Promise<boolean>
}

/** The subject tokens of a provider. */
export const subjectTokensOf = slot<ReturnType<typeof defineSubjectToken>>('the subject tokens')

/** Set where impersonations can be seen and ended: the adapter by which they are. */
export const endingAdapterOf = slot<EndingAdapter>('impersonations that can be seen and ended')

/**
 * Defines the model, oidc-provider's own way to store a token, for a provider, and settles how its adapter keeps single use, and whether it can see and end
 * impersonations.
 *
 * @throws TypeError for a custom adapter without `consumeOnce`, and where `ending.enabled` is `true` and the
 * adapter cannot
 */
export function defineSubjectToken(provider: Provider) {
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
      if (this.keptUntil !== undefined) return lifeUnderRecord(this.keptUntil)
      return kept > 0 ? 0 : Number.POSITIVE_INFINITY
    }

    get accessTokenId(): string {
      return `${IMPERSONATED_JTI_PREFIX}${this.jti}`
    }

    get bindingObject(): Binding {
      this.#binding ??= deepFreeze<Binding>(JSON.parse(this.binding))
      return this.#binding
    }

    /** As the base class does, which builds the name from the model's each time and may throw. */
    override emit(event: string): void {
      emitSafely(provider, `subject_token.${event}`, this)
    }

    override generateTokenId(): string {
      // 256 bits, 43 characters
      this.#value = randomBytes(32).toString('base64url')
      return idOf(this.#value)
    }

    override async getValueAndPayload(): Promise<{ value: string; payload?: UnknownObject }> {
      if (this.#value === undefined) {
        throw new TypeError('the value of a stored subject token is not known')
      }
      const { payload } = await super.getValueAndPayload()
      if (payload) {
        // One moment of issue, for the record and for whoever asks this token.
        this.exp = Number(payload.exp)
        payload.iat = this.iat = this.exp - this.expiration
        if (kept > 0) payload.keptUntil = this.exp + kept
      }
      return { value: this.#value, ...(payload ? { payload } : {}) }
    }

    /** The record outlives the redemption: it says how things stand with the access token. */
    override get remainingTTL(): number {
      return super.remainingTTL + kept
    }

    async redeem(redemption: Redemption): Promise<boolean> {
      // The token may have expired since it was found, and some storages do not check the expiry.
      if (this.isExpired) return false
      const known = { iat: this.iat, expiresIn: this.remainingTTL }
      const won = await consumeOnce(this.jti, this.exp ?? 0, redemption, known)
      if (!won) return false
      this.emit('consumed')
      Object.assign(this, { consumed: epochSeconds(), note: redemption })
      return true
    }
  }

  const { adapter } = StoredSubjectToken
  const { accessToken, ending: endingOptions, subjectToken } = optionsOf.of(provider)
  const consumeOnce: ConsumeOnce = createConsumer(adapter, subjectToken.singleUse)
  const ending = chooseEnding(adapter, endingOptions)
  if (ending) endingAdapterOf.set(provider, ending)
  /** How long the storage keeps a record after the last moment of redemption, in seconds. */
  const kept = ending ? keptAfterRedemptionFor(accessToken.maxTtl) : 0

  function ours(found: TokenBase | undefined): SubjectToken | undefined {
    if (!(found instanceof StoredSubjectToken)) return undefined
    // Another provider may use the same store, and other records of the plugin are no tokens.
    if (found.iss !== provider.issuer || typeof found.accountId !== 'string') return undefined
    return found.exp === undefined ? undefined : found
  }

  /** The token by its id: redeemed, ended or expired as it may be. */
  async function findById(id: string): Promise<SubjectToken | undefined> {
    // The provider's clockTolerance is for clocks of other servers. This time is our own.
    const token = ours(await StoredSubjectToken.find(id, { ignoreExpiration: true }))
    // Accept only the requested record: the store's collation may match another id.
    return token?.jti === id ? token : undefined
  }

  return {
    /** Where the records are. */
    adapter,
    /** @throws Error that says in one sentence why the storage cannot keep subject tokens */
    checkStorage: () => checkStorage(adapter, consumeOnce),
    /** Its `save()` resolves the value, once. */
    create(given: StoredProperties): SubjectToken {
      // Assigned, because the constructors copy what they are given three times, member by member.
      return Object.assign(new StoredSubjectToken({}), given, { iss: provider.issuer })
    },
    findById,
    idOf,
    /** A token from a record of the adapter; `undefined` for one of another provider. */
    fromRecord: (record: AdapterPayload) => ours(StoredSubjectToken.instantiate(record)),
  }
}

/** The id that the token of this value has, or would have. */
function idOf(value: string): string {
  return hash('sha256', value, 'base64url')
}
