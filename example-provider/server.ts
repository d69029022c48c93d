import type { RequestListener } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { accountApi } from './account/api.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { supportBackend } from './backend/router.ts'
import type { Config } from './config.ts'
import { DEMO } from './config-production.ts'
import { loadAssets } from './http/assets.ts'
import { pinOrigin, securityHeaders } from './http/headers.ts'
import { type Listener, listen } from './http/listener.ts'
import { ordersApi } from './orders/router.ts'
import { pages } from './pages.ts'
import { type Accounts, createAccounts } from './provider/accounts.ts'
import { CUSTOMER_ACCOUNT, OPERATOR_CLIENTS, SUPPORT_BACKEND } from './provider/clients.ts'
import { type Keys, loadKeys } from './provider/keys.ts'
import { createProvider } from './provider/provider.ts'
import { signInPage } from './provider/sign-in.ts'
import { passwordThrottle } from './provider/throttle.ts'
import { openStorage, type Storage } from './storage.ts'

/** A running example. */
export interface Example {
  /** The origin under which it is reached. */
  readonly url: string
  /** Accepts nothing more, finishes the requests in flight, and closes the storage. */
  close(): Promise<void>
}

/** @throws StartError for what the person who starts it can put right. */
export async function startExample(config: Config): Promise<Example> {
  const keys = await loadKeys(config)
  const assets = await loadAssets()
  const accounts = await createAccounts(config.demoPassword)
  const storage = await openStorage(config.storage)
  const audit = createAudit(storage.audit)
  const listeners: Listener[] = []
  const closing = new AbortController()
  const close = () => closeAll(closing, listeners, audit, storage)
  try {
    // The parts call each other here and not at the public address: they can still do so when that
    // one accepts no more, and need not know of a proxy in front of it.
    const inside = await listen('127.0.0.1', 0)
    listeners.push(inside)
    const outside = await listen(config.host, config.port)
    listeners.unshift(outside)

    const url = config.baseUrl ?? defaultBaseUrl(config.host, outside.port)
    const app = assemble(config, {
      url,
      inside: inside.port,
      keys,
      accounts,
      assets,
      storage,
      audit,
      closing: closing.signal,
    })
    for (const listener of listeners) listener.serve(app)
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Parts {
  readonly url: string
  /** The port at which the parts reach each other. */
  readonly inside: number
  readonly keys: Keys
  readonly accounts: Accounts
  readonly assets: Middleware
  readonly storage: Storage
  readonly audit: Audit
  /** Says that the server is to stop. */
  readonly closing: AbortSignal
}

function assemble(
  config: Config,
  { url, inside, keys, accounts, assets, storage, audit, closing }: Parts,
): RequestListener {
  const provider = createProvider(config, url, { keys, adapter: storage.adapter, audit })
  const providerUrl = `http://127.0.0.1:${inside}`
  const backend = {
    providerUrl,
    clientId: SUPPORT_BACKEND,
    clientSecret: config.supportBackendSecret,
    audit,
  }

  const app = new Koa({ proxy: url.startsWith('https:'), keys: [...keys.cookies] })
  app.use(securityHeaders)
  app.use(provider.impersonation.routes())
  app.use(mount('/oidc', provider))
  app.use(signInPage(provider, accounts, passwordThrottle()))
  app.use(
    supportBackend({
      ...backend,
      managementResource: `${url}/api`,
      ordersResource: `${url}/orders`,
      operatorClients: OPERATOR_CLIENTS,
      closing,
    }),
  )
  app.use(accountApi({ ...backend, customerClients: [CUSTOMER_ACCOUNT] }))
  app.use(
    ordersApi({
      issuer: `${url}/oidc`,
      jwksUrl: new URL('/oidc/jwks', providerUrl),
      audience: `${url}/orders`,
    }),
  )
  const { DEMO_PASSWORD } = DEMO
  const password = config.demoPassword === DEMO_PASSWORD ? DEMO_PASSWORD : undefined
  app.use(pages({ baseUrl: url, password }))
  app.use(assets)
  app.use((ctx) => {
    ctx.status = 404
    ctx.body = { error: 'not_found', error_description: 'there is nothing here' }
  })

  const handler = app.callback()
  const pin = pinOrigin(url)
  return (request, response) => {
    pin(request)
    handler(request, response)
  }
}

function defaultBaseUrl(host: string, port: number): string {
  const local = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)
  const name = local ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return new URL(`http://${name}:${port}`).origin
}

/** In this order: what is in flight outside may still need the inside, and that the storage. */
async function closeAll(
  closing: AbortController,
  listeners: readonly Listener[],
  audit: Audit,
  storage: Storage,
): Promise<void> {
  closing.abort()
  for (const listener of listeners) await listener.close()
  // The provider tells of what happened in the turn after it has answered.
  await turn()
  await audit.close()
  await storage.close()
}
