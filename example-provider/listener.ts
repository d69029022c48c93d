import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { StartError } from './start-error.ts'

/** A server with an open port. It can stop without breaking requests. */
export interface Listener {
  readonly port: number
  /** The origin of the address itself, without a name. A browser sends it no cookie of `localhost`. */
  readonly url: string
  /** Starts to answer. Earlier requests wait. */
  serve(handler: RequestListener): void
  /** Accepts no new connections, and resolves when every open request has its answer. */
  close(): Promise<void>
}

/** How long open requests may take after the stop, in milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 10_000

/**
 * @param variable the setting that has the port
 * @throws StartError when the address is in use or does not belong to this machine.
 */
export async function listen(host: string, port: number, variable = 'PORT'): Promise<Listener> {
  let closing = false
  const sockets = new Set<Socket>()
  const handler = Promise.withResolvers<RequestListener>()
  const server = createServer(async (request, response) => {
    // Without this, idle connections of a browser would delay the end.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()))
    const handle = await handler.promise
    handle(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError(unavailable(cause, host, port, variable), { cause })
  }
  const bound = server.address()
  const address = typeof bound === 'object' && bound ? bound : { address: host, port }
  return {
    port: address.port,
    url: numericUrl(address),
    serve: handler.resolve,

    async close() {
      if (!server.listening) return
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

function unavailable(cause: unknown, host: string, port: number, variable: string): string {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return `${variable} ${port} is in use already: end what uses it, or set ${variable} to another (0 takes a free one)`
    case 'EACCES':
      return `${variable} ${port} may not be used by this user: set ${variable} to one above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST '${host}' is not an address of this machine`
    default:
      return `cannot listen on HOST '${host}', ${variable} ${port}: ${cause}`
  }
}

function numericUrl({ address, port }: { address: string; port: number }): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  return new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin
}

/** The origin of a server on this machine. */
export function localUrl(host: string, port: number): string {
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)
  const name = isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return new URL(`http://${name}:${port}`).origin
}
