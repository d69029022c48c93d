// The only file that imports oidc-provider/lib/*. Nothing in there is covered by semantic
// versioning: test/oidc-provider-internals.test.ts holds what is used here against every
// supported version.
import {
  type AccessToken,
  type Account,
  type Adapter,
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServerInstance,
  type TokenEndpointGrantContext,
  type UnknownObject,
} from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import als from 'oidc-provider/lib/helpers/als.js'
import certificateThumbprint from 'oidc-provider/lib/helpers/certificate_thumbprint.js'
import * as grants from 'oidc-provider/lib/helpers/grants.js'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'

export {
  buildTokenResponse,
  checkDpopReplay,
  checkDpopRequired,
  checkMtlsCert,
  resolveRequestedResources,
  validateDpop,
} from 'oidc-provider/lib/helpers/grants.js'
export { certificateThumbprint }

/** The deployment's `findAccount`, its answer checked as the provider itself checks it. */
export function findAccount(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  accountId: string,
): Promise<Account | undefined> {
  // Declared for the token endpoint, and needs no more of the context than any route has.
  return grants.findAccount(provider, ctx as TokenEndpointGrantContext, accountId)
}

/** Validates a DPoP proof for an access token, at a route that is not the provider's own. */
export function validateDpopAt(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  accessToken: string,
): Promise<grants.DPoPValidationResult | undefined> {
  return grants.validateDpop(provider, ctx as TokenEndpointGrantContext, accessToken)
}

/** Refuses a DPoP proof that was used before. */
export function checkDpopReplayAt(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  dPoP: grants.DPoPValidationResult | undefined,
  clientId: string,
): Promise<void> {
  const grantContext = ctx as TokenEndpointGrantContext
  return grants.checkDpopReplay(provider, grantContext, dPoP, clientId, errors.InvalidToken)
}

/** The algorithms of DPoP proofs; `undefined` where DPoP is off. */
export function dpopAlgorithms(provider: Provider): readonly string[] | undefined {
  const { features, dPoPSigningAlgValues } = instance(provider).configuration
  return features?.dPoP?.enabled ? dPoPSigningAlgValues : undefined
}

/** The thumbprint of the TLS client certificate, where mTLS is on and there is one. */
export function clientCertificateThumbprint(
  provider: Provider,
  ctx: KoaContextWithOIDC,
): string | undefined {
  const mTLS = instance(provider).configuration.features?.mTLS
  const certificate =
    mTLS?.enabled && 'getCertificate' in mTLS ? mTLS.getCertificate?.(ctx) : undefined
  return certificate ? certificateThumbprint(certificate) : undefined
}

/** The provider's configuration, merged with its defaults. */
export function configurationOf(provider: Provider): Configuration {
  return instance(provider).configuration
}

/** The public half of the provider's keys, as its jwks endpoint publishes them. */
export function publicKeys(provider: Provider): { keys: Array<Record<string, unknown>> } {
  return instance(provider).jwks
}

/** Whether the provider has a key that signs with `alg`. */
export function canSign(provider: Provider, alg: string): boolean {
  return instance(provider).keystore.selectForSign({ alg }).length > 0
}

/** Whether this is oidc-provider's own in-memory adapter, which serves one process alone. */
export function isDevelopmentAdapter(adapter: Adapter): boolean {
  return adapter instanceof MemoryAdapter
}

/** Runs `callback` as oidc-provider runs its own routes: `Provider.ctx` is `ctx` inside. */
export function runInRequest<T>(ctx: object, callback: () => T): T {
  return als.run(ctx, callback)
}

/** What every token model inherits, with the parts that the published types leave out. */
export interface TokenBase {
  jti: string
  iat: number
  exp?: number | undefined
  clientId?: string | undefined
  readonly kind: string
  readonly isExpired: boolean
  readonly expiration: number
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
  find(id: string): Promise<TokenBase | undefined>
}

/** `provider.BaseToken`, to derive a model from. */
export function tokenBaseOf(provider: Provider): TokenBaseConstructor {
  // The published type declares neither the constructor's argument nor the methods to override.
  return provider.BaseToken as unknown as TokenBaseConstructor
}

/**
 * Does what `save()` does, in two steps: first everything that can refuse or fail (claims, hooks,
 * customizers, the signature), then, with the function that it resolves, what others can see (the
 * record, the event).
 */
export async function prepareToSave(token: AccessToken): Promise<() => Promise<string>> {
  // Every token model has these; the published types leave them out.
  const model = token as AccessToken & Pick<TokenBase, 'emit' | 'getValueAndPayload'>
  const { value, payload } = await model.getValueAndPayload()
  return async () => {
    if (payload) await model.adapter.upsert(model.jti, payload, model.remainingTTL)
    model.emit(payload ? 'saved' : 'issued')
    return value
  }
}

/** Draws the id of a token that has not been saved yet, in the format of its resource server. */
export function generateTokenId(token: object): string {
  // Every token model has this method; the published types leave it out.
  return (token as Pick<TokenBase, 'generateTokenId'>).generateTokenId()
}

/** An access token that has not been saved: its lifetime can still be set. */
export interface DraftAccessToken extends AccessToken {
  /** Seconds. */
  expiresIn: number
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
    input: typeof properties,
  ) => DraftAccessToken
  return new AccessTokenModel(properties)
}

/** Whether the client stands in the provider's own `clients`, rather than in its storage. */
export function isStaticClient(client: Client): boolean {
  return client.noManage === true
}
