import Koa from 'koa'
import mount from 'koa-mount'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

const base = process.env.BASE_URL ?? 'http://localhost:3000'
const users = new Map(['alice', 'bob', 'olivia', 'oscar', 'root'].map((id) => [id, { id }]))

const provider = new Provider(`${base}/oidc`, {
  adapter: createMemoryAdapter(), // to try it out: see below if you have one
  clients: [
    {
      client_id: 'console', token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      redirect_uris: ['https://console.example.com/callback'],
    },
    {
      client_id: 'backend', client_secret: 'backend-secret',
      grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
    },
  ],
  findAccount(_ctx, sub) {
    const user = users.get(sub)
    return user && { accountId: user.id, claims: () => ({ sub: user.id }) }
  },
  features: {
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
    },
    clientCredentials: { enabled: true },
    impersonation: {
      enabled: true,
      managementApi: {
        resource: `${base}/api`, clients: ['backend'],
        requireBinding: ['mayAct', 'resource', 'scope', 'expiresIn'],
      },
      actorToken: { required: true, sameClient: true },
      authorize: ({ account }) => account.accountId !== 'root',
      getCustomJwtClaims({ context }) {
        if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
        const { ticketId, reason } = context.grant.subjectTokenContext
        return { impersonation_context: { ticket_id: ticketId, reason } }
      },
    },
  },
})

const app = new Koa()
app.keys = provider.keys
app.use(provider.impersonation.routes()) // before the provider
app.use(mount('/oidc', provider))
app.listen(Number(process.env.PORT ?? 3000), 'localhost')

const lines = await provider.impersonation.check()
console.table(lines.filter(({ ok }) => ok === false))
