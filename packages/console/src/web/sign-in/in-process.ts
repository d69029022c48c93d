import { createServer, request } from 'node:http'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider-impersonation'

/** Sends one request to the provider. The path is one of the provider's own: `/token`. */
export type AskProvider = (
  path: string,
  form: URLSearchParams,
  signal?: AbortSignal,
) => Promise<Response>

/**
 * Sends requests to the provider in this process, over a pair of streams. The public address of the
 * provider may not be reachable from here, for example behind a proxy.
 */
export function providerInProcess(provider: Provider): AskProvider {
  const { host, protocol } = new URL(provider.issuer)
  // It never listens: each request brings its own connection.
  const server = createServer()
  let isReady = false
  return async (path, form, signal) => {
    // Middleware that the deployment adds to the provider after the console counts as well.
    if (!isReady) server.on('request', provider.callback())
    isReady = true
    const [ours, theirs] = duplexPair()
    // Koa reads whether a connection is secure from its socket.
    server.emit('connection', Object.assign(theirs, { encrypted: protocol === 'https:' }))
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    request(
      {
        method: 'POST',
        path,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        createConnection: () => ours,
        ...(signal && { signal }),
      },
      (answer) => {
        const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        )
        buffer(answer)
          .then((body) =>
            resolve(new Response(body, { status: answer.statusCode ?? 500, headers })),
          )
          .catch(reject)
      },
    )
      .on('error', reject)
      .end(form.toString())
    return promise
  }
}
