// One provider, in a process of its own, as a deployment would run it. Started by providers.ts
// with a ProcessOptions in JSON; tells its base URL when it is ready, and ends when told to.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { JWK } from 'jose'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { errors } from 'oidc-provider'
import type { AdapterFactory } from '../../src/adapters/contract.ts'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { openStorage, type StorageSpec } from './storage.ts'

export interface ProcessOptions {
  readonly storage: StorageSpec
  readonly signingKey: JWK
  /**
   * How claims behave: `hold` reports a claim that won and never continues; `unconditional` lets every
   * claim win, so that a test can show that the proof detects it.
   */
  readonly claims?: 'hold' | 'unconditional'
}

export type ProcessMessage = { readonly base: string } | { readonly claimed: string }

/** The same for every process: together they are one provider. */
const ORIGIN = 'https://id.example.com'
export const ISSUER = `${ORIGIN}/oidc`
export const MANAGEMENT = `${ORIGIN}/api`
export const ORDERS = 'https://api.example.com/orders'

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}'))

async function main({ storage, signingKey, claims }: ProcessOptions): Promise<void> {
  const { adapter, close } = await openStorage(storage)
  const provider = new Provider(ISSUER, {
    adapter: claims === undefined ? adapter : withClaims(adapter, claims),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
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
        redirect_uris: ['https://app.example.com/callback'],
      },
    ],
    ttl: { AccessToken: 600, ClientCredentials: 600 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        getResourceServerInfo(_ctx, resource) {
          if (resource !== ORDERS) throw new errors.InvalidTarget()
          return { scope: 'read', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
        },
      },
      impersonation: {
        enabled: true,
        managementApi: {
          resource: MANAGEMENT,
          clients: { issue: ['backend'], end: ['backend'] },
        },
        authorize: ({ account }) => ({ permit: `permit of ${account.accountId}` }),
      },
    },
  })

  const app = new Koa()
  app.use(provider.impersonation.routes())
  app.use(actorTokens(provider))
  app.use(mount('/oidc', provider))
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  tell({ base: `http://127.0.0.1:${address.port}` })

  process.on('message', async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
    await close()
    process.disconnect()
  })
  // Ends when the parent process is gone: no other process would end it.
  process.once('disconnect', () => process.exit())
}

/** `GET /actor-token/{sub}`: an access token of an operator, as a sign-in leads to it. */
function actorTokens(provider: Provider): Middleware {
  return async (ctx, next) => {
    const [, accountId] = /^\/actor-token\/(.+)$/.exec(ctx.path) ?? []
    const client = await provider.Client.find('console')
    if (accountId === undefined || !client) return next()
    const grant = new provider.Grant({ accountId, clientId: 'console' })
    grant.addOIDCScope('openid')
    const grantId = await grant.save()
    const scope = 'openid'
    const token = new provider.AccessToken({ accountId, client, grantId, gty: 'own', scope })
    ctx.body = await token.save()
  }
}

function withClaims(
  adapter: AdapterFactory,
  claims: NonNullable<ProcessOptions['claims']>,
): AdapterFactory {
  return (model) => {
    const store = adapter(model)
    const consumeOnce = async (id: string): Promise<boolean> => {
      if (claims === 'unconditional') {
        await store.consume(id)
        return true
      }
      const won = await store.consumeOnce(id)
      if (!won) return false
      tell({ claimed: id })
      return new Promise(() => {})
    }
    return new Proxy(store, {
      get(target, property) {
        if (property === 'consumeOnce') return consumeOnce
        const member: unknown = Reflect.get(target, property)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  }
}

function tell(message: ProcessMessage): void {
  process.send?.(message)
}
