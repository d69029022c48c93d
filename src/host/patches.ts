// Every member of a living provider that this package changes, one after the other. oidc-provider
// has no option for any of them. Each has its reason, the option that would replace the change,
// and the test that holds it.
import { readFileSync } from 'node:fs'
import type {
  AccessToken,
  Adapter,
  Client,
  ClientCredentials,
  Provider,
  UnknownObject,
} from 'oidc-provider'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'
import { limitTime } from '../shared/time.ts'
import type { TokenBase } from './models.ts'

const PATCHED = [
  'configuration.discovery',
  'configuration.grantTypes',
  'Client.Schema',
  'AccessToken.prototype.getValueAndPayload',
  'ClientCredentials.prototype.getValueAndPayload',
  'AccessToken.prototype.destroy',
  'AccessToken.find',
  'Grant.adapter',
  'Grant.prototype.adapter',
]

/**
 * Checks, once and at the start, that a provider has each member in the shape that is changed
 * below.
 *
 * @throws TypeError that names the version of oidc-provider, the member, and the way out
 */
export function checkPatched(provider: Provider): void {
  const { AccessToken, Client, ClientCredentials, Grant } = provider
  const { configuration } = instance(provider)
  const owners = { configuration, AccessToken, Client, ClientCredentials, Grant }
  const missing = PATCHED.find((path) => {
    const names = path.split('.')
    const name = names.pop() ?? ''
    const owner = names.reduce<object>((each, member) => Reflect.get(each, member), owners)
    // Both adapters are getters, which would make the deployment's adapter.
    if (name === 'adapter') return !(name in owner)
    return typeof Reflect.get(owner, name) !== (owner === configuration ? 'object' : 'function')
  })
  if (missing === undefined) return
  throw new TypeError(
    `oidc-provider ${installedVersion()} has no ${missing} as impersonation needs it: install a newer version of oidc-provider-impersonation, or the version of oidc-provider from before`,
  )
}

function override(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true })
}

function installedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('oidc-provider'))
  return String(JSON.parse(readFileSync(manifest, 'utf8')).version)
}

/**
 * `configuration.discovery`: adds members to both discovery documents of this provider. Those of
 * the provider and of the deployment's own `discovery` stay.
 *
 * `discovery` is an option, but the members need the issuer, which is not in the configuration. A
 * function as `discovery` would replace this. Test: "discovery: one grant type more, and three
 * endpoints".
 */
export function addToDiscovery(
  provider: Provider,
  members: Record<string, string | undefined>,
): void {
  const { configuration } = instance(provider)
  configuration.discovery = { ...members, ...configuration.discovery }
}

/** Validates client metadata in its constructor. It is outside the published types. */
type ClientSchema = new (...args: readonly unknown[]) => object

/**
 * `Client.Schema`: validates the metadata that clients send as if the provider did not have the
 * grant type. That is metadata of dynamic registration, which alone is validated with a request's
 * context, and of client-id metadata documents. Clients of the configuration and of the storage
 * may list the grant.
 *
 * No option distinguishes self-registered clients from others. A `registerGrantType` that takes
 * who may list the grant would replace this. Test: "registration answers word for word the same
 * to".
 */
export function withholdFromSelfRegistered(provider: Provider, grantType: string): void {
  const { configuration } = instance(provider)
  const { Schema } = provider.Client as typeof Client & { readonly Schema: ClientSchema }
  const construct: ProxyHandler<ClientSchema>['construct'] = (target, args, newTarget) => {
    const [, ctx, , isMetadataDocument] = args
    const { grantTypes } = configuration
    if (ctx !== undefined || isMetadataDocument === true) {
      configuration.grantTypes = new Set([...grantTypes].filter((name) => name !== grantType))
    }
    try {
      return Reflect.construct(target, args, newTarget)
    } finally {
      configuration.grantTypes = grantTypes
    }
  }
  override(provider.Client, 'Schema', new Proxy(Schema, { construct }))
}

/**
 * `AccessToken.prototype.getValueAndPayload` and `ClientCredentials.prototype.getValueAndPayload`:
 * give `settle` the last word on the claims that are stored with an opaque token. It returns them
 * in an object of its own, which no other code holds.
 *
 * `extraTokenClaims` cannot do it, because its result is stored by reference, and code of the
 * deployment may write to it later. A customizer for opaque tokens, like
 * `formats.customizers.jwt`, would replace this. Test: "everywhere: one function of opaque tokens,
 * which says what is stored".
 */
export function settleStoredClaims(
  provider: Provider,
  settle: (token: AccessToken | ClientCredentials) => UnknownObject | undefined,
): void {
  for (const { prototype } of [provider.AccessToken, provider.ClientCredentials]) {
    // The published types leave the method out.
    const { getValueAndPayload } = prototype as unknown as TokenBase
    const value = async function (this: AccessToken | ClientCredentials) {
      const saved = await getValueAndPayload.call(this)
      const { payload } = saved
      if (payload?.extra) payload.extra = settle(this)
      return saved
    }
    override(prototype, 'getValueAndPayload', value)
  }
}

/**
 * `AccessToken.find`: finds an opaque access token only as long as `isOver` returns `false` for
 * it, at introspection and everywhere else.
 *
 * Introspection has a hook for its response alone, and userinfo has none. A hook that judges each
 * token that was found would replace this. Test: "after the exchange: an opaque token is inactive
 * at once, at introspection and everywhere".
 *
 * @returns a function that finds an opaque access token by its value, over or not
 */
export function judgeFoundTokens(
  { AccessToken: model }: Provider,
  isOver: (token: AccessToken) => Promise<boolean>,
): (value: string) => Promise<AccessToken | undefined> {
  const { find } = model
  const findAny = (...args: unknown[]): Promise<AccessToken | undefined> =>
    Reflect.apply(find, model, args)
  override(model, 'find', async (...args: unknown[]) => {
    const token = await findAny(...args)
    return token && (await isOver(token)) ? undefined : token
  })
  return findAny
}

/**
 * `AccessToken.prototype.destroy`: runs `first` before an access token is destroyed. If it
 * rejects, so does `destroy()`, and the record stays.
 *
 * The events of the provider come after the record is gone, and a listener cannot reject. A hook
 * before a token is revoked would replace this. Test: "ends its impersonation, as its operator
 * asked, and raises one event".
 */
export function beforeTokenDestroyed(
  { AccessToken: { prototype } }: Provider,
  first: (token: AccessToken) => Promise<void>,
): void {
  const { destroy } = prototype
  const value = async function (this: AccessToken): Promise<void> {
    await first(this)
    await destroy.call(this)
  }
  override(prototype, 'destroy', value)
}

/** A destroyed grant. */
type GrantListener = (id: string, accountId: string | undefined) => void

/** The longest delay of a grant's destruction by the read before it, in milliseconds. */
const MAX_LOOK_MS = 2_000

/**
 * `Grant.adapter` and `Grant.prototype.adapter`: call `then` after a grant was destroyed, by its
 * `destroy()`, by a revocation at the provider, or by the provider's adapter. The grant is read
 * first, because its record is gone afterwards. That read never prevents the destruction.
 *
 * Both getters return an adapter that has another `destroy`, and leave the deployment's own
 * adapter unchanged: other providers may use it, it may be frozen, and its methods may need their
 * own `this`.
 *
 * `grant.revoked` has no account, and `Grant.adapter.destroy()` emits no event. An event
 * `grant.destroyed` with the account, on every destruction, would replace this. Test: "by the
 * revocation endpoint, by destroy() and by the provider's adapter".
 */
export function afterGrantDestroyed(provider: Provider, then: GrantListener): void {
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

function watchDestroy(adapter: Adapter, then: GrantListener): Adapter {
  const destroy = async (id: string): Promise<void> => {
    const look = (async () => adapter.find(id))()
    const record = await limitTime(MAX_LOOK_MS, look).catch(() => undefined)
    await adapter.destroy(id)
    // The found record may be another model's, because an adapter may use one table for all
    // models.
    if (record?.kind === 'Grant') then(id, record.accountId)
  }
  // A target of its own: a proxy of a frozen adapter would have to return the adapter's own
  // methods.
  return new Proxy<Adapter>(Object.create(adapter), {
    get(_target, name) {
      if (name === 'destroy') return destroy
      const member: unknown = Reflect.get(adapter, name)
      return typeof member === 'function' && name !== 'constructor' ? member.bind(adapter) : member
    },
    set: (_target, name, value) => Reflect.set(adapter, name, value),
  })
}
