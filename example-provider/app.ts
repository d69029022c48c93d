// The OpenID provider with impersonation, and what is mounted beside it. The flow has three steps:
//   1. The operator's application asks the integrator's backend to act as a customer: backend.ts.
//   2. The backend asks the management API for a subject token: provider.impersonation.routes().
//   3. The application exchanges it at the token endpoint, and calls the API as the customer:
//      orders.ts. The access token says in `act` who acts.
import { hkdfSync } from 'node:crypto'
import Koa from 'koa'
import mount from 'koa-mount'
import {
  interactionPolicy,
  Provider,
  type ProviderConfiguration,
} from 'oidc-provider-impersonation'
import { supportConsole } from 'oidc-provider-impersonation-console'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { allowOrigin } from '../hosting/cors.ts'
import { grantWhatIsAsked } from '../hosting/first-party-grants.ts'
import { pageAssets } from '../hosting/http/assets.ts'
import { refuseEncodedBodies } from '../hosting/http/encoded-body.ts'
import { pinOrigin, securityHeaders } from '../hosting/http/headers.ts'
import { notFound } from '../hosting/http/problem.ts'
import { CLAIMS, findAccount, loadAccounts } from './accounts.ts'
import { supportBackend } from './backend.ts'
import { clients, OPERATOR_CLIENTS, ordersResource, SUPPORT_BACKEND } from './clients.ts'
import type { Config } from './config.ts'
import { customers, describe, onAlarm, role } from './console.ts'
import { sendHome } from './demo/home.ts'
import { demoPages } from './demo/pages.ts'
import { logoutPages, renderError } from './demo/provider-pages.ts'
import { publicPassword } from './demo/secrets.ts'
import { STRICT_RULES } from './demo/strict.ts'
import { ordersApi } from './orders.ts'
import { authorize, claimsOf } from './policy.ts'
import type { App, Parts } from './server.ts'
import { SHOP } from './shop/client.ts'
import { createShop } from './shop/server.ts'
import { signInPage } from './sign-in.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const WORKING_DAY = 8 * HOUR

function configuration(
  config: Config,
  { url, shopUrl, keys, storage }: Parts,
): ProviderConfiguration {
  const { requireBinding, ...stricter } = config.strict ? STRICT_RULES : { requireBinding: [] }
  const limiter = () => new RateLimiterMemory({ points: config.limitPerMinute, duration: 60 })
  const policy = interactionPolicy.base()
  policy.remove('consent')

  return {
    adapter: storage.adapter,
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: { keys: [...keys.cookies] },
    clients: clients(config, url, shopUrl),
    // RFC 6749 §2.3.1: secrets in the body are "NOT RECOMMENDED".
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // Browsers send their origin with a POST to the same origin too.
    clientBasedCORS: (_ctx, origin, { clientId }) => origin === (clientId === SHOP ? shopUrl : url),
    responseTypes: ['code'],
    pkce: { required: () => true },
    claims: CLAIMS,
    findAccount,
    loadExistingGrant: grantWhatIsAsked,
    interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
    renderError,
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR,
      AuthorizationCode: 60,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR / 6,
      Grant: WORKING_DAY,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: WORKING_DAY,
    },
    features: {
      impersonation: {
        enabled: true,
        managementApi: {
          resource: `${url}/api`,
          clients: { issue: [SUPPORT_BACKEND], read: [SUPPORT_BACKEND], end: [SUPPORT_BACKEND] },
          requireBinding,
        },
        limits: { issue: limiter(), failedExchanges: limiter() },
        authorize,
        getCustomJwtClaims: claimsOf,
        // With STRICT=1, these replace the rule above.
        ...stricter,
      },
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: ordersResource(url) },
      devInteractions: { enabled: false },
      // A client that sends a proof of a key gets a token bound to that key. Proofs are optional.
      // Clients with a wrong clock need nonces. All copies of the provider share their secret.
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.from(hkdfSync('sha256', keys.cookies[0] ?? '', '', 'DPoP nonces', 32)),
      },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, { clientId }, token) =>
          clientId === SUPPORT_BACKEND || clientId === token.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, { clientId }, token) => clientId === token.clientId,
      },
      userinfo: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...logoutPages },
    },
  }
}

/** One Koa application for all of it. Yours may be several: only URLs connect the parts. */
export async function createApp(config: Config, parts: Parts): Promise<App> {
  const { url, shopUrl, providerUrl, storage, keys } = parts
  const accounts = await loadAccounts(config.demoPassword)
  const provider = new Provider(`${url}/oidc`, configuration(config, parts))
  provider.on('server_error', (ctx, error) => {
    console.error(`${ctx.method} ${ctx.oidc?.route ?? ctx.path}:`, error)
  })
  // Trust the proxy headers when a proxy speaks https. pinOrigin() sets them on every request.
  provider.proxy = url.startsWith('https:')

  const backend = {
    providerUrl,
    clientId: SUPPORT_BACKEND,
    clientSecret: config.supportBackendSecret,
    operatorClients: OPERATOR_CLIENTS,
  }
  const support = supportConsole(provider, {
    clientId: 'support-console',
    machine: { clientId: SUPPORT_BACKEND, clientSecret: config.supportBackendSecret },
    providerUrl,
    role,
    customers,
    applications: [
      {
        name: 'Shop',
        url: `${shopUrl}/`,
        clientId: SHOP,
        resource: `${url}/orders`,
        scopes: { read: 'orders:read', change: 'orders:read orders:write' },
      },
    ],
    audit: storage.audit,
    durations: [2 * MINUTE, 5 * MINUTE, 10 * MINUTE],
    ticket: { pattern: /SUP-\d{1,9}/ },
    account: { clientId: 'customer-account', describe },
    onAlarm,
    apis: ['/orders'],
  })

  const app = new Koa({ proxy: provider.proxy, keys: [...keys.cookies] })
  app.use(pinOrigin(url))
  app.use(securityHeaders(shopUrl))
  app.use(sendHome(url))
  // Before the provider: what happens there waits while the audit cannot be stored.
  app.use(support)
  // The impersonation routes refuse compressed bodies themselves and emit events about them.
  app.use(provider.impersonation.routes())
  app.use(refuseEncodedBodies)
  app.use(mount('/oidc', provider))
  app.use(signInPage(provider, accounts))
  app.use(supportBackend({ ...backend, url, recordRefusal: support.recordRefusal }))
  app.use(allowOrigin('/orders', shopUrl))
  app.use(
    ordersApi({
      url,
      providerUrl,
      adapter: storage.adapter,
      onImpersonatedRequest: support.onImpersonatedRequest,
    }),
  )
  for (const page of await demoPages(shopUrl, publicPassword(config))) app.use(page)
  app.use(await pageAssets())
  app.use(notFound)

  const places = { issuer: provider.issuer, orders: `${url}/orders`, console: `${url}/console` }
  const shop = await createShop(places)
  return {
    handle: app.callback(),
    handleShop: shop.callback(),
    async check() {
      await provider.impersonation.check()
      await support.check()
    },
    endStreams: support.endStreams,
    close: support.close,
  }
}
