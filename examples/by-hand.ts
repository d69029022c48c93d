// The parts by hand, for a deployment that builds its provider in its own way: its Provider stays
// that of oidc-provider. `node --conditions=oidc-provider-impersonation examples/by-hand.ts`
import Koa from 'koa'
import mount from 'koa-mount'
import { Provider } from 'oidc-provider'
import { ImpersonationFeature, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

const base = process.env.BASE_URL ?? 'http://localhost:3000'
const users = new Map(['alice', 'bob', 'olivia', 'oscar', 'root'].map((id) => [id, { id }]))

// 1. The value of features.impersonation.
const impersonation = new ImpersonationFeature({
  enabled: true,
  managementApi: { resource: `${base}/api`, clients: ['backend'] },
  actorToken: { sameClient: true },
})

// 2. The configuration, wired: it must reach the provider as it is.
const configuration = impersonation.configure({
  adapter: createMemoryAdapter(),
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
  findAccount(_ctx, sub) {
    const user = users.get(sub)
    return user && { accountId: user.id, claims: () => ({ sub: user.id }) }
  },
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
    },
  },
})
const provider = new Provider(`${base}/oidc`, configuration)

// 3. The grant.
impersonation.register(provider)

// 4. The management API, beside the provider.
const app = new Koa()
app.keys = provider.keys // oidc-provider reads its cookies by them
app.use(impersonation.routes())
app.use(mount('/oidc', provider))
app.listen(Number(process.env.PORT ?? 3000), 'localhost')

// 5. What is left to do, once the server listens.
const lines = await impersonation.check()
console.table(lines.filter(({ ok }) => ok === false))
