// The OpenID provider with impersonation, and what is mounted beside it. The flow has three steps:
//   1. The operator's application asks the integrator's backend to act as a customer:
//      examples/backend.ts. Operators who use the support console ask that instead.
//   2. The backend asks the management API for a subject token: provider.impersonation.routes().
//   3. The application exchanges it at the token endpoint, and calls the API as the customer:
//      orders.ts. The access token says in `act` who acts.
import Koa from 'koa'
import mount from 'koa-mount'
import { Provider } from 'oidc-provider-impersonation'
import { createPermits, supportConsole } from 'oidc-provider-impersonation-console'
import { slack } from '../examples/alerts/slack.ts'
import { supportBackend } from '../examples/backend.ts'
import { loadAccounts, people } from './accounts.ts'
import { COPILOT_CLIENT_ID, OPERATOR_CLIENTS, SHOP_CLIENT_ID, SUPPORT_BACKEND } from './clients.ts'
import type { Config } from './config.ts'
import { approvers, customers, describe, mayErase, onAlarm, role } from './console.ts'
import { BRAND, createMail } from './demo/mail.ts'
import { demoPages } from './demo/pages.ts'
import { publicPassword } from './demo/secrets.ts'
import { STRICT_RULES } from './demo/strict.ts'
import { answerProblems, pinOrigin, refuseEncodedBodies, securityHeaders } from './frame.ts'
import { apis } from './orders.ts'
import { authorize, contextClaims } from './policy.ts'
import { configuration } from './provider.ts'
import type { App, Parts } from './server.ts'
import { signInPage } from './sign-in.ts'

const MINUTE_S = 60

/** One Koa application for all of it. Yours may be several: only URLs connect the parts. */
export async function createApp(config: Config, parts: Parts): Promise<App> {
  const { url, shopUrl, providerUrl, storage, keys } = parts
  const { features, ...yours } = configuration(config, parts)
  const { requireBinding, ...stricter } = config.strict ? STRICT_RULES : { requireBinding: [] }
  // Before the provider: its rule needs them.
  const { slackWebhookUrl } = config
  const chat = slackWebhookUrl === undefined ? undefined : slack(slackWebhookUrl)
  const permits = createPermits({
    ...{ audit: storage.audit, approvers, standing: {} },
    onPermit: chat?.onPermit,
  })

  const provider = new Provider(`${url}/oidc`, {
    ...yours,
    features: {
      impersonation: {
        enabled: true,
        managementApi: {
          resource: `${url}/api`,
          clients: { issue: [SUPPORT_BACKEND], read: [SUPPORT_BACKEND], end: [SUPPORT_BACKEND] },
          requireBinding,
        },
        softwareActors: [COPILOT_CLIENT_ID],
        // The copilot brings a token that the operator got at one of these.
        actorToken: { sameClient: [SHOP_CLIENT_ID, ...OPERATOR_CLIENTS] },
        getCustomJwtClaims: contextClaims,
        // With STRICT=1, these replace what is above.
        ...stricter,
        authorize: permits.wrap(config.strict ? STRICT_RULES.authorize : authorize),
      },
      ...features,
    },
  })
  provider.on('server_error', (ctx, error) => {
    console.error(`${ctx.method} ${ctx.oidc?.route ?? ctx.path}:`, error)
  })
  // Trust the proxy headers when a proxy speaks https. pinOrigin() sets them on every request.
  provider.proxy = url.startsWith('https:')

  const mail = createMail(config)
  const support = supportConsole(provider, {
    clientId: 'support-console',
    issueAs: SUPPORT_BACKEND,
    role,
    mayErase,
    customers,
    applications: [
      {
        name: 'Shop',
        url: `${shopUrl}/`,
        clientId: SHOP_CLIENT_ID,
        resource: `${url}/orders`,
        scopes: { read: 'orders:read', change: 'orders:write' },
      },
    ],
    audit: storage.audit,
    durations: [2 * MINUTE_S, 5 * MINUTE_S, 10 * MINUTE_S],
    ticket: { pattern: /SUP-\d{1,9}/, example: 'SUP-77' },
    account: { clientId: 'customer-account', describe },
    permits,
    brand: BRAND,
    notices: mail.notices,
    onAlarm: chat?.onAlarm ?? onAlarm,
  })

  const app = new Koa({ proxy: provider.proxy, keys: [...keys.cookies] })
  app.use(pinOrigin(url))
  app.use(securityHeaders(shopUrl))
  app.use(support)
  // The impersonation routes refuse compressed bodies themselves and emit events about them.
  app.use(provider.impersonation.routes())
  app.use(mount('/oidc', provider))
  app.use(answerProblems)
  app.use(refuseEncodedBodies)
  app.use(signInPage(provider, await loadAccounts(config.demoPassword)))
  app.use(
    supportBackend({
      url,
      providerUrl,
      clientId: SUPPORT_BACKEND,
      clientSecret: config.supportBackendSecret,
      operatorClients: OPERATOR_CLIENTS,
      people,
      recordRefusal: support.recordRefusal,
    }),
  )
  const { onImpersonatedRequest } = support
  const api = { url, shopUrl, providerUrl, adapter: storage.adapter, onImpersonatedRequest }
  const pages = await demoPages(shopUrl, publicPassword(config))
  for (const each of [...apis(api), ...mail.pages, ...pages]) app.use(each)

  return {
    handle: app.callback(),
    async check() {
      await provider.impersonation.check()
      await support.check()
    },
    endStreams: support.endStreams,
    close: support.close,
  }
}
