// One provider, in a process of its own, as a deployment would run it. Started by providers.ts
// with a ProcessOptions in JSON; tells its base URL when it is ready, and ends when told to.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { JWK } from 'jose'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { Provider } from '../../src/index.ts'
import { deploymentConfiguration } from '../support/deployment-configuration.ts'
import { openStorage, type StorageSpec } from './storage.ts'

export interface ProcessOptions {
  readonly storage: StorageSpec
  readonly signingKey: JWK
}

/** The same for every process: together they are one provider. */
const ORIGIN = 'https://id.example.com'
export const ISSUER = `${ORIGIN}/oidc`
export const MANAGEMENT = `${ORIGIN}/api`
export const ORDERS = `${ORIGIN}/orders`

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}'))

async function main({ storage, signingKey }: ProcessOptions): Promise<void> {
  const { adapter, close } = await openStorage(storage)
  const everyone: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true })
  const provider = new Provider(
    ISSUER,
    deploymentConfiguration(ORIGIN, everyone, {
      configuration: { adapter, jwks: { keys: [signingKey] } },
      impersonation: {
        managementApi: {
          resource: MANAGEMENT,
          clients: { issue: ['backend'], end: ['backend'] },
        },
        authorize: ({ account }) => ({ permit: `permit of ${account.accountId}` }),
      },
    }),
  )

  const app = new Koa()
  app.use(provider.impersonation.routes())
  app.use(actorTokens(provider))
  app.use(mount('/oidc', provider))
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  process.send?.(`http://127.0.0.1:${address.port}`)

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
