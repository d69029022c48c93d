import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider-impersonation'

/**
 * Sends forms to the provider in this process, over a pair of streams. The public address of the
 * provider may not be reachable from here, for example behind a proxy.
 *
 * @returns a function whose path is one of the provider's own: `/token`
 */
export function providerInProcess(provider: Provider) {
  const { host, protocol } = new URL(provider.issuer)
  // It never listens: each request brings its own connection.
  let server: Server | undefined
  return async (path: string, form: URLSearchParams, signal?: AbortSignal): Promise<Response> => {
    // Made late: middleware that the deployment adds to the provider after the console counts as well.
    server ??= createServer(provider.callback())
    const [ours, theirs] = duplexPair()
    // Koa reads whether a connection is secure from its socket.
    server.emit('connection', Object.assign(theirs, { encrypted: protocol === 'https:' }))
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request(
      {
        method: 'POST',
        path,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        createConnection: () => ours,
        ...(signal && { signal }),
      },
      resolve,
    )
      .on('error', reject)
      .end(form.toString())
    const answer = await promise
    const { statusCode = 500, headers } = answer
    return new Response(await buffer(answer), {
      status: statusCode,
      headers: { 'content-type': headers['content-type'] ?? '' },
    })
  }
}
