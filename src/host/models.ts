// The parts of oidc-provider's models that its published types leave out. No file of lib/ is used.
import type {
  AccessToken,
  Adapter,
  AdapterPayload,
  Client,
  ClientCredentials,
  KoaContextWithOIDC,
  Provider,
  ResourceServerInstance,
  UnknownObject,
} from 'oidc-provider'
import { emitSafely } from './emit.ts'
import { currentRequest } from './request.ts'

/** What every token model inherits, with the parts that the published types leave out. */
export interface TokenBase {
  jti: string
  iat: number
  exp?: number | undefined
  clientId?: string | undefined
  readonly kind: string
  readonly isExpired: boolean
  readonly expiration: number
  /** Seconds: how long the storage is to keep it. */
  readonly remainingTTL: number
  readonly adapter: Adapter
  /** Seconds; set it before `save()`. */
  expiresIn: number
  save(): Promise<string>
  emit(event: string): void
  generateTokenId(): string
  getValueAndPayload(): Promise<{ value: string; payload?: UnknownObject }>
}

export interface TokenBaseConstructor {
  new (properties: UnknownObject): TokenBase
  readonly IN_PAYLOAD: string[]
  readonly adapter: Adapter
  find(id: string, options?: { ignoreExpiration?: boolean }): Promise<TokenBase | undefined>
  instantiate(payload: AdapterPayload): TokenBase
}

/** `provider.BaseToken`, to derive a model from. */
export function tokenBaseOf(provider: Provider): TokenBaseConstructor {
  // The published type declares neither the constructor's argument nor the methods to override.
  return provider.BaseToken as unknown as TokenBaseConstructor
}

/** An access token that has not been saved, with the parts that the published types leave out. */
export interface DraftAccessToken
  extends AccessToken,
    Pick<TokenBase, 'generateTokenId' | 'getValueAndPayload' | 'remainingTTL'> {
  /** Seconds. */
  expiresIn: number
  format: string
}

/** An access token with no grant behind it, which the published constructor type insists on. */
export function createAccessToken(
  provider: Provider,
  properties: {
    accountId: string
    client: Client
    gty: string
    resourceServer: ResourceServerInstance
    scope: string | undefined
  },
): DraftAccessToken {
  const AccessTokenModel = provider.AccessToken as unknown as new (
    input: object,
  ) => DraftAccessToken
  // Assigned, because the constructors copy what they are given three times, member by member.
  return Object.assign(new AccessTokenModel({}), properties)
}

/**
 * Does what `save()` does, in two steps: first everything that can refuse or fail (claims, hooks,
 * customizers, the signature), then, with the function that it resolves, what others can see (the
 * record, the event).
 *
 * @param record what the record of an opaque token says, and its id, whatever hooks wrote to the token
 */
export async function prepareToSave(
  provider: Provider,
  token: DraftAccessToken,
  record: UnknownObject & { readonly jti: string },
): Promise<() => Promise<string>> {
  const { adapter, remainingTTL } = token
  const { value, payload } = await token.getValueAndPayload()
  return async () => {
    if (payload) await adapter.upsert(record.jti, { ...payload, ...record }, remainingTTL)
    // Does the same as emit() of the model, because a hook can replace emit().
    emitSafely(provider, payload ? 'access_token.saved' : 'access_token.issued', token)
    return payload ? record.jti : value
  }
}

/**
 * Gives `settle` the last word on the claims that are stored with an opaque token. It answers them in an
 * object of its own, which nobody else holds.
 */
export function settleStoredClaims(
  provider: Provider,
  settle: (
    ctx: KoaContextWithOIDC | undefined,
    token: AccessToken | ClientCredentials,
    extra: UnknownObject,
  ) => UnknownObject,
): void {
  for (const { prototype } of [provider.AccessToken, provider.ClientCredentials]) {
    // The published types leave the method out.
    const { getValueAndPayload } = prototype as unknown as TokenBase
    const value = async function (this: AccessToken | ClientCredentials) {
      const saved: Awaited<ReturnType<TokenBase['getValueAndPayload']>> = await Reflect.apply(
        getValueAndPayload,
        this,
        [],
      )
      const { payload } = saved
      if (payload?.extra) payload.extra = settle(currentRequest(), this, Object(payload.extra))
      return saved
    }
    Object.defineProperty(prototype, 'getValueAndPayload', {
      value,
      configurable: true,
      writable: true,
    })
  }
}

/** A model of the provider that is found by its id. */
interface FoundById<T> {
  find(...args: never[]): Promise<T | undefined>
}

/**
 * Lets `judge` have a look at what a model's `find` answers, and answer something else: everything
 * in the provider finds its records that way.
 */
export function judgeFound<T extends object>(
  model: FoundById<T>,
  judge: (found: T) => Promise<T | undefined> | T | undefined,
): void {
  const { find } = model
  model.find = async (...args) => {
    const found: T | undefined = await Reflect.apply(find, model, args)
    return found && judge(found)
  }
}

/**
 * Runs `first` before a record of a model is destroyed by its `destroy()`. Where it rejects, so does
 * `destroy()`, and the record stays.
 */
export function beforeDestroy<T extends { destroy(): Promise<void> }>(
  model: { readonly prototype: T },
  first: (record: T) => Promise<void>,
): void {
  const { prototype } = model
  const { destroy } = prototype
  const value = async function (this: T): Promise<void> {
    await first(this)
    await Reflect.apply(destroy, this, [])
  }
  Object.defineProperty(prototype, 'destroy', { value, configurable: true, writable: true })
}
