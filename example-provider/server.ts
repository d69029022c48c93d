// The start and the end: keys, storage and ports, and the order in which they are closed.
import type { RequestListener } from 'node:http'
import { type Keys, loadKeys } from '../hosting/keys.ts'
import { type Listener, listen, localUrl } from '../hosting/listener.ts'
import { openStorage, type Storage, unusableStorage } from '../hosting/storage.ts'
import type { Config } from './config.ts'
import { createShop } from './shop/server.ts'

/** What the application is made of. */
export interface Parts {
  /** The origin of all public URLs. */
  readonly url: string
  /** The origin of the shop. */
  readonly shopUrl: string
  /** The origin at which the parts reach the provider: it still works when the public one closes. */
  readonly providerUrl: string
  readonly keys: Keys
  readonly storage: Storage
}

export interface App {
  readonly handle: RequestListener
  /** Rejects if the storage cannot keep subject tokens. */
  check(): Promise<void>
  /** Called when the server begins to stop. */
  endStreams(): void
  /** Called when no request is left. */
  close(): Promise<void>
}

export interface Server {
  readonly url: string
  readonly shopUrl: string
  /** @throws StartError that describes the problem of the storage */
  check(): Promise<void>
  /** Accepts no new requests, finishes the open requests, and closes the storage. */
  close(): Promise<void>
}

/** @throws StartError for a problem that the person who starts it can fix */
export async function startServer(
  config: Config,
  createApp: (config: Config, parts: Parts) => Promise<App>,
): Promise<Server> {
  const keys = await loadKeys(config)
  const storage = await openStorage(config.storage, config.audit)
  const listeners: Listener[] = []
  let app: App | undefined
  const close = async () => {
    app?.endStreams()
    // Open public requests need the inner address, which needs the storage.
    for (const listener of listeners.toReversed()) await listener.close()
    await app?.close()
    await storage.close()
  }
  try {
    listeners.push(await listen('127.0.0.1', 0))
    listeners.push(await listen(config.host, config.port))
    const [inner = 0, outer = 0] = listeners.map(({ port }) => port)
    const shop = await listen(config.host, config.shopPort, 'SHOP_PORT')
    listeners.push(shop)
    const shopUrl = config.shopUrl ?? shop.url
    const url = config.baseUrl ?? localUrl(config.host, outer)
    const providerUrl = `http://127.0.0.1:${inner}`
    app = await createApp(config, { url, shopUrl, providerUrl, keys, storage })
    const { check, handle } = app
    for (const listener of listeners) if (listener !== shop) listener.serve(handle)
    const links = { issuer: `${url}/oidc`, orders: `${url}/orders`, console: `${url}/console` }
    shop.serve((await createShop(links)).callback())
    return { url, shopUrl, check: () => check().catch(unusableStorage(config.storage)), close }
  } catch (error) {
    await close()
    throw error
  }
}
