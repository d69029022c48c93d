import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { StartError } from '../start-error.ts'

/** A server that is bound to its address and can be stopped without dropping anybody. */
export interface Listener {
  readonly port: number
  /** Begins to answer. To be called in the same tick in which the listener was obtained. */
  serve(handler: RequestListener): void
  /** Accepts nothing more, and resolves when every request in flight has its answer. */
  close(): Promise<void>
}

/** How long requests in flight may take once the server is to stop, in milliseconds. */
const PATIENCE = 10_000

/** @throws StartError where the address is taken or not this machine's. */
export async function listen(host: string, port: number): Promise<Listener> {
  const server = createServer()
  let closing = false
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError(unavailable(cause, host, port), { cause })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,

    serve(handler) {
      server.on('request', (request, response: ServerResponse) => {
        // Without this, a browser's idle connections would hold up the end.
        response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()))
        handler(request, response)
      })
    },

    async close() {
      if (!server.listening) return
      closing = true
      const closed = once(server, 'close')
      server.close()
      const timer = setTimeout(() => server.closeAllConnections(), PATIENCE)
      await closed
      clearTimeout(timer)
    },
  }
}

function unavailable(cause: unknown, host: string, port: number): string {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return `PORT ${port} is in use already: end what uses it, or set PORT to another (0 takes a free one)`
    case 'EACCES':
      return `PORT ${port} may not be used by this user: set PORT to one above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST '${host}' is not an address of this machine`
    default:
      return `cannot listen on HOST '${host}', PORT ${port}: ${cause}`
  }
}
