import type { RequestListener } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { accountApi } from './account/api.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { auditGate } from './audit/gate.ts'
import { supportBackend } from './backend/router.ts'
import type { Config } from './config.ts'
import { DEMO } from './config-production.ts'
import { loadAssets } from './http/assets.ts'
import { refuseEncodedBodies } from './http/encoded-body.ts'
import { pinOrigin, securityHeaders } from './http/headers.ts'
import { type Listener, listen } from './http/listener.ts'
import { loadOpenApi } from './http/openapi.ts'
import { usedProofs } from './orders/proofs.ts'
import { ordersApi } from './orders/router.ts'
import { pages } from './pages.ts'
import { type Accounts, createAccounts } from './provider/accounts.ts'
import { CUSTOMER_ACCOUNT, OPERATOR_CLIENTS, SUPPORT_BACKEND } from './provider/clients.ts'
import { type Keys, loadKeys } from './provider/keys.ts'
import { createProvider } from './provider/provider.ts'
import { signInPage } from './provider/sign-in.ts'
import { passwordThrottle } from './provider/throttle.ts'
import { reasonOf, StartError } from './start-error.ts'
import { openStorage, type Storage } from './storage.ts'

/** A running example. */
export interface Example {
  /** The public origin. */
  readonly url: string
  /** Accepts no new requests, finishes the open requests, and closes the storage. */
  close(): Promise<void>
}

/** A running example with a check of the storage. */
export interface StartedExample extends Example {
  /** @throws StartError that describes the problem of the storage. */
  check(): Promise<void>
}

/** @throws StartError for a problem that the person who starts it can fix. */
export async function startExample(config: Config): Promise<StartedExample> {
  const keys = await loadKeys(config)
  const assets = await loadAssets()
  const openApi = await loadOpenApi()
  const accounts = await createAccounts(config.demoPassword)
  const storage = await openStorage(config.storage)
  const audit = createAudit(storage.audit)
  const listeners: Listener[] = []
  const closing = new AbortController()
  const close = () => closeAll(closing, listeners, audit, storage)
  try {
    // The parts call each other at an inner address, not at the public one. The inner address still
    // works when the public one has closed, and the parts need no settings for a proxy.
    const inside = await listen('127.0.0.1', 0)
    listeners.push(inside)
    const outside = await listen(config.host, config.port)
    listeners.unshift(outside)

    const url = config.baseUrl ?? defaultBaseUrl(config.host, outside.port)
    const { app, check } = assemble(config, {
      url,
      inside: inside.port,
      keys,
      accounts,
      assets,
      openApi,
      storage,
      audit,
      closing: closing.signal,
    })
    for (const listener of listeners) listener.serve(app)
    return { url, check, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Parts {
  readonly url: string
  /** The port of the inner address. */
  readonly inside: number
  readonly keys: Keys
  readonly accounts: Accounts
  readonly assets: Middleware
  readonly openApi: Middleware
  readonly storage: Storage
  readonly audit: Audit
  /** Aborts when the server stops. */
  readonly closing: AbortSignal
}

function assemble(
  config: Config,
  { url, inside, keys, accounts, assets, openApi, storage, audit, closing }: Parts,
): { app: RequestListener; check: () => Promise<void> } {
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
  app.use(
    auditGate(audit, {
      issue: '/api/subject-tokens',
      token: '/oidc/token',
      end: '/oidc/impersonations/current/end',
    }),
  )
  // The impersonation routes refuse compressed bodies themselves and emit events about them.
  app.use(provider.impersonation.routes())
  app.use(refuseEncodedBodies)
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
  app.use(
    accountApi({
      ...backend,
      customerClients: [CUSTOMER_ACCOUNT],
      impersonation: provider.impersonation,
    }),
  )
  app.use(
    ordersApi({
      issuer: `${url}/oidc`,
      jwksUrl: new URL('/oidc/jwks', providerUrl),
      audience: `${url}/orders`,
      baseUrl: url,
      usedProofs: usedProofs(storage.adapter),
    }),
  )
  const { DEMO_PASSWORD } = DEMO
  const password = config.demoPassword === DEMO_PASSWORD ? DEMO_PASSWORD : undefined
  app.use(pages({ baseUrl: url, password }))
  app.use(assets)
  app.use(openApi)
  app.use((ctx) => {
    ctx.status = 404
    ctx.body = { error: 'not_found', error_description: 'there is nothing here' }
  })

  const handler = app.callback()
  const pin = pinOrigin(url)
  return {
    app(request, response) {
      pin(request)
      handler(request, response)
    },
    check: () =>
      provider.impersonation.check().catch((cause) => {
        throw new StartError(`STORAGE_URL: ${reasonOf(cause)}`, { cause })
      }),
  }
}

function defaultBaseUrl(host: string, port: number): string {
  const local = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)
  const name = local ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return new URL(`http://${name}:${port}`).origin
}

/**
 * Closes in this order: open public requests may still need the inner address, which needs the
 * storage.
 */
async function closeAll(
  closing: AbortController,
  listeners: readonly Listener[],
  audit: Audit,
  storage: Storage,
): Promise<void> {
  closing.abort()
  for (const listener of listeners) await listener.close()
  // The provider emits events in the turn after its answer.
  await turn()
  await audit.close()
  await storage.close()
}
