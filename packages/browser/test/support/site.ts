import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string
}

/** A server at a free port of this host name. */
export async function listening(
  host: 'localhost' | '127.0.0.1',
  listener?: RequestListener,
): Promise<Site & { readonly server: ReturnType<typeof createServer> }> {
  const server = createServer(listener)
  server.listen(0, host)
  await once(server, 'listening')
  // The run ends also when a test fails before it closes the server.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
