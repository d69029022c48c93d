// The start and the end: keys, storage and ports, and the order in which they are closed.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from './config.ts'
import { type Keys, loadKeys } from './keys.ts'
import { createShop } from './shop/server.ts'
import { StartError } from './start-error.ts'
import { openStorage, type Storage, unusableStorage } from './storage.ts'

/** The parts of the application. */
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

export type CreateApp = (config: Config, parts: Parts) => Promise<App>

/** @throws StartError for a problem that the person who starts it can fix */
export async function startServer(config: Config, createApp: CreateApp): Promise<Server> {
  const keys = await loadKeys(config)
  const storage = await openStorage(config.storage, config.audit)
  const ports: Port[] = []
  let app: App | undefined
  const close = async () => {
    app?.endStreams()
    // Open public requests need the inner address, which needs the storage.
    for (const port of ports.splice(0).toReversed()) await port.close()
    await app?.close()
    await storage.close()
  }
  try {
    const inner = await listen('127.0.0.1', 0)
    ports.push(inner)
    const outer = await listen(config.host, config.port)
    ports.push(outer)
    const shop = await listen(config.host, config.shopPort, 'SHOP_PORT')
    ports.push(shop)
    const url = config.baseUrl ?? `http://localhost:${outer.number}`
    // Not localhost: a browser sends the cookies of a name to all its ports.
    const shopUrl = config.shopUrl ?? `http://127.0.0.1:${shop.number}`
    const providerUrl = `http://127.0.0.1:${inner.number}`
    app = await createApp(config, { url, shopUrl, providerUrl, keys, storage })
    const { check, handle } = app
    for (const port of [inner, outer]) port.serve(handle)
    const links = { issuer: `${url}/oidc`, orders: `${url}/orders`, console: `${url}/console` }
    shop.serve((await createShop(links)).callback())
    return { url, shopUrl, check: () => check().catch(unusableStorage(config.storage)), close }
  } catch (error) {
    await close()
    throw error
  }
}

type Port = Awaited<ReturnType<typeof listen>>

/** The timeout of open requests after the stop, in milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 10_000

/** @param variable the setting that has the port */
async function listen(host: string, port: number, variable = 'PORT') {
  const handler = Promise.withResolvers<RequestListener>()
  const sockets = new Set<Socket>()
  let closing = false
  const server = createServer(async (request, response) => {
    // Without this, a connection that a browser keeps would delay the end.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()))
    const handle = await handler.promise
    handle(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = Object(cause)
    throw new StartError(
      `${variable} ${port} of HOST '${host}' cannot be used (${code}): set ${variable} to another port, or to 0 for a free one, and HOST to an address of this machine`,
      { cause },
    )
  }
  const address = server.address()
  return {
    number: typeof address === 'object' && address ? address.port : port,
    /** Starts to answer. Earlier requests wait. */
    serve: handler.resolve,
    /** Accepts no new connections, and resolves when every open request has its answer. */
    async close() {
      closing = true
      const closed = once(server, 'close')
      server.close()
      // Browsers open connections in advance. Node takes one that has sent nothing for a request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      const timer = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
      await closed
      clearTimeout(timer)
    },
  }
}
