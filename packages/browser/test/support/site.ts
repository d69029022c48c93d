import { createServer, type RequestListener } from 'node:http'
import { closed, listening as originOf } from '../../../../test/support/token-issuer.ts'

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
  // The run ends also when a test fails before it closes the server.
  const url = await originOf(server, host)
  return {
    url,
    server,
    [Symbol.asyncDispose]: () => closed(server),
  }
}
