import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import {
  type AdapterFactory,
  type Authorize,
  allOf,
  interactionPolicy,
  type ProviderConfiguration,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { customerAccountClient, supportConsoleClient } from 'oidc-provider-impersonation-console'
import { claimsOf, directory, isKnown } from './people.ts'

export const MACHINE = { clientId: 'support-backend', clientSecret: 'a-secret-of-the-tests-only' }

/** Of the client `copilot`: software that acts. */
export const COPILOT_SECRET = 'a-secret-of-the-copilot-in-tests'

const KEY: JWK = {
  ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)),
  kid: 'test',
  alg: 'ES256',
  use: 'sig',
}

export interface ProviderSettings {
  readonly url: string
  readonly shopUrl: string
  /** The origin of the console and the account page. @defaultValue that of the provider */
  readonly pagesUrl?: string
  /** @defaultValue `'/console'` */
  readonly consolePath?: string
  /** @defaultValue `'/account'` */
  readonly accountPath?: string
  /** Throws while the storage is out of order. */
  readonly checkStorage?: () => void
  /** @defaultValue memory */
  readonly adapter?: AdapterFactory | undefined
  /** Another rule beside that of the deployment: both have to allow. */
  readonly authorize?: Authorize | undefined
  /** Seconds. @defaultValue one hour */
  readonly accessTokenTtl?: number | undefined
}

/** The configuration of a small deployment. Every person signs in without a password. */
export function configuration(settings: ProviderSettings): ProviderConfiguration {
  const { url, shopUrl, pagesUrl = url, accessTokenTtl = 3600 } = settings
  const { consolePath = '/console', accountPath = '/account' } = settings
  const policy = interactionPolicy.base()
  policy.remove('consent')
  return {
    adapter: faulty(settings.checkStorage, settings.adapter),
    jwks: { keys: [KEY] },
    cookies: { keys: ['test'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: MACHINE.clientId,
        client_secret: MACHINE.clientSecret,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
      supportConsoleClient({ url: pagesUrl, path: consolePath }),
      customerAccountClient({ url: pagesUrl, path: accountPath }),
      {
        client_id: 'shop',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        response_types: ['code'],
        redirect_uris: [`${shopUrl}/`],
      },
      {
        client_id: 'copilot',
        client_secret: COPILOT_SECRET,
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        response_types: ['code'],
        redirect_uris: [`${shopUrl}/copilot`],
      },
      {
        client_id: 'other',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [`${shopUrl}/other`],
      },
    ],
    clientBasedCORS: (_ctx, origin, { clientId }) =>
      origin === (clientId === 'shop' ? shopUrl : pagesUrl),
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    findAccount: (_ctx, sub) =>
      isKnown(sub) ? { accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) } : undefined,
    interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant,
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? accessTokenTtl,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      Grant: 8 * 3600,
      IdToken: 3600,
      Interaction: 3600,
      Session: 8 * 3600,
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        // The page of oidc-provider asks another origin for a font.
        logoutSource(ctx, form) {
          ctx.type = 'html'
          ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign out</title><link rel="icon" href="data:,"></head>
<body><main><h1>Sign out?</h1>${form}
<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></main></body></html>`
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, { clientId }, token) => clientId === token.clientId,
      },
      resourceIndicators: {
        getResourceServerInfo(_ctx, resource) {
          if (resource !== `${url}/orders`) throw new errors.InvalidTarget()
          return {
            scope: 'orders:read orders:write',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
      impersonation: {
        enabled: true,
        managementApi: {
          resource: `${url}/api`,
          clients: { issue: [MACHINE.clientId] },
          requireBinding: ['mayAct', 'resource', 'scope'],
        },
        actorToken: { required: true },
        softwareActors: ['copilot'],
        authorize: allOf(
          async ({ account }) => {
            const customer = await directory.get(account.accountId)
            return customer !== undefined && customer.protected === undefined
          },
          settings.authorize ?? (() => true),
        ),
        getCustomJwtClaims: async ({ context }) =>
          context.grant.type === TOKEN_EXCHANGE_GRANT_TYPE
            ? { impersonation_context: context.grant.subjectTokenContext }
            : {},
      },
    },
  }
}

async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider, requestParamScopes } = oidc
  if (!client || !session?.accountId) return undefined
  const id = session.grantIdFor(client.clientId)
  const grant =
    (id ? await provider.Grant.find(id) : undefined) ??
    new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
  for (const [indicator, server] of Object.entries(oidc.resourceServers ?? {})) {
    const scopes = [...requestParamScopes].filter((scope) => server.scopes.has(scope))
    if (scopes.length > 0) grant.addResourceScope(indicator, scopes.join(' '))
  }
  await grant.save()
  return grant
}

/** An adapter whose every call fails while `check` throws. */
function faulty(check = () => {}, factory: AdapterFactory = createMemoryAdapter()) {
  return (model: string) =>
    new Proxy(factory(model), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          check()
          return Reflect.apply(member, target, args)
        }
      },
    })
}
