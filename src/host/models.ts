// The parts of oidc-provider's models that its published types leave out. No file of lib/ is used.
import type { AccessToken, Adapter, AdapterPayload, Provider, UnknownObject } from 'oidc-provider'
import { emitSafely } from './instance.ts'

/** The members of every token model, with the parts that the published types leave out. */
export interface TokenBase
  extends Omit<InstanceType<Provider['BaseToken']>, 'emit' | 'remainingTTL'> {
  /** The time for which the storage keeps it, in seconds. A model may override it. */
  readonly remainingTTL: number
  emit(event: string): void
  /** In seconds. Set it before `save()`. */
  expiresIn: number
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
    Pick<TokenBase, 'expiresIn' | 'generateTokenId' | 'getValueAndPayload'> {
  format: string
}

/** Creates an access token without a grant, which the published constructor type requires. */
export function createAccessToken(provider: Provider, properties: object): DraftAccessToken {
  const AccessTokenModel = provider.AccessToken as unknown as new (
    input: object,
  ) => DraftAccessToken
  // Assigned, because the constructors copy their argument three times, member by member.
  return Object.assign(new AccessTokenModel({}), properties)
}

/**
 * Does the same as `save()`, in two steps. The first does everything that can refuse or fail
 * (claims, hooks, customizers, the signature). The function that it resolves does the visible part
 * (the record, the event).
 *
 * @param record - the content and the id of an opaque token's record, whatever hooks wrote to the
 * token
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
 * Models whose records decide about an impersonation. Records, lifetimes and events have the names
 * of the classes.
 */
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
