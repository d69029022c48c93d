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
import { limitTime } from '../shared/time.ts'
import { emitSafely } from './instance.ts'
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

export interface TokenBaseConstructor<Members> {
  new (properties: UnknownObject): TokenBase & Members
  readonly IN_PAYLOAD: string[]
  readonly adapter: Adapter
  find(id: string, options?: { ignoreExpiration?: boolean }): Promise<TokenBase | undefined>
  instantiate(payload: AdapterPayload): TokenBase
}

/** `provider.BaseToken`, to derive a model from. */
export function tokenBaseOf<Members>(provider: Provider): TokenBaseConstructor<Members> {
  // The published type declares neither the constructor's argument nor the methods to override.
  return provider.BaseToken as unknown as TokenBaseConstructor<Members>
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

/** A grant that is no more. */
export interface DestroyedGrant {
  readonly id: string
  readonly accountId: string | undefined
}

/** How long a look at a grant may hold up that it is destroyed, in milliseconds. */
const MAX_LOOK_MS = 2_000

/**
 * Calls `then` after a grant was destroyed: by its `destroy()`, by whatever revokes it at the provider, or by
 * the adapter that the provider has of it. The look at the grant, whose record is gone afterwards, never stops
 * that it is destroyed.
 *
 * Both getters of the adapter answer one that has another `destroy`, and leaves the deployment's own as it is:
 * other providers may use it, it may be frozen, and its methods may insist on their own `this`.
 */
export function afterGrantDestroyed(
  provider: Provider,
  then: (grant: DestroyedGrant) => void,
): void {
  const views = new WeakMap<Adapter, Adapter>()
  const { Grant } = provider
  for (const holder of [Grant, Grant.prototype]) {
    const inherited: object = Object.getPrototypeOf(holder)
    Object.defineProperty(holder, 'adapter', {
      configurable: true,
      get(): Adapter {
        const adapter: Adapter = Reflect.get(inherited, 'adapter', this)
        const view = views.get(adapter) ?? watchDestroy(adapter, then)
        views.set(adapter, view)
        return view
      },
    })
  }
}

function watchDestroy(adapter: Adapter, then: (grant: DestroyedGrant) => void): Adapter {
  const destroy = async (id: string): Promise<void> => {
    const look = (async () => adapter.find(id))()
    const record = await limitTime(MAX_LOOK_MS, look, () => new Error('too late')).catch(
      () => undefined,
    )
    await adapter.destroy(id)
    // Another model's record may have been found: an adapter may use one table for all of them.
    if (record?.kind === 'Grant') then({ id, accountId: record.accountId })
  }
  // A target of its own: a frozen adapter as the target would have to answer its own methods.
  return new Proxy<Adapter>(Object.create(adapter), {
    get(_target, name) {
      if (name === 'destroy') return destroy
      const member: unknown = Reflect.get(adapter, name)
      return typeof member === 'function' && name !== 'constructor' ? member.bind(adapter) : member
    },
    set: (_target, name, value) => Reflect.set(adapter, name, value),
  })
}

/** Models whose records decide about an impersonation. Records, lifetimes and events have the names of the classes. */
const MODEL_NAMES = [
  'AccessToken',
  'Client',
  'ClientCredentials',
  'Grant',
  'ReplayDetection',
  'Session',
] as const

/**
 * Checks that a bundler left oidc-provider's class names alone. With other names it stores tokens
 * under a wrong kind and does not find them again.
 *
 * @throws TypeError naming the first class that was renamed, and the setting that keeps names
 */
export function checkClassNames(provider: Provider): void {
  const renamed = MODEL_NAMES.find((model) => provider[model].name !== model)
  if (renamed === undefined) return
  throw new TypeError(
    `A minifier renamed the classes of oidc-provider: ${renamed} is called '${provider[renamed].name}'. ` +
      'oidc-provider stores and finds its records by these names. ' +
      'Keep them when you bundle (esbuild: keepNames: true, terser: keep_classnames: true), ' +
      'or leave oidc-provider out of the bundle (external)',
  )
}
