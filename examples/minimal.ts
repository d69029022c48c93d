import Koa from 'koa'
import mount from 'koa-mount'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation' // was: 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

const base = process.env.BASE_URL ?? 'http://localhost:3000'

const provider = new Provider(`${base}/oidc`, {
  adapter: createMemoryAdapter(), // withSubjectTokens(yours, createRedisAdapter(…)) keeps yours: docs/adapters.md
  // your configuration, unchanged
  clients: [
    {
      client_id: 'backend',
      client_secret: 'backend-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: 'console',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      redirect_uris: ['https://console.example.com/callback'],
    },
  ],
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  features: {
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
    },
    // new
    clientCredentials: { enabled: true },
    impersonation: {
      enabled: true,
      managementApi: { resource: `${base}/api`, clients: ['backend'] },
      async getCustomJwtClaims({ context }) {
        if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
        const { ticketId, reason, supportEngineerId } = context.grant.subjectTokenContext
        return {
          impersonation_context: {
            ticket_id: ticketId,
            reason,
            support_engineer: supportEngineerId,
          },
        }
      },
    },
  },
})

await provider.impersonation.check()

const app = new Koa()
app.keys = provider.keys // oidc-provider reads its cookies by them
app.use(provider.impersonation.routes()) // /api/subject-tokens, /api/impersonations
app.use(mount('/oidc', provider))
app.listen(Number(process.env.PORT ?? 3000), 'localhost')
