import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

export const port = Number(process.env.PORT ?? 3000)
const base = `http://localhost:${port}`
const users = new Map(['alice', 'bob', 'olivia', 'oscar', 'root'].map((id) => [id, { id }]))

export const provider = new Provider(`${base}/oidc`, {
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
  cookies: { keys: [process.env.COOKIE_KEY ?? 'only for trying it out'] },
  findAccount(_ctx, sub) {
    const user = users.get(sub)
    return user && { accountId: user.id, claims: () => ({ sub: user.id }) }
  },
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'orders:read', accessTokenFormat: 'jwt' }),
    },
    impersonation: {
      enabled: true,
      managementApi: { resource: `${base}/api`, clients: ['backend'] },
      actorToken: { sameClient: true },
    },
  },
})

provider.on('server_error', (ctx, error) => console.error(ctx.method, ctx.path, error))

/** Prints what is left to do before production. */
export async function printChecklist() {
  const lines = await provider.impersonation.check()
  console.table(lines.filter(({ ok }) => ok === false))
}
