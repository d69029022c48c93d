import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../support/deployment.ts'

/** A request on its way to the provider. */
export interface Passing {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An answer on its way back. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Forward = (passing: Passing) => Promise<Answered>

/** What is wrong with a server: it may change the request, the answer, or give its own. */
export type Spoil = (passing: Passing, forward: Forward) => Promise<Answered>

/** Puts what `spoil` answers at the moment before a provider. */
export function proxy(spoil: () => Spoil): (provider: RequestListener) => RequestListener {
  return (provider) => {
    const inner = createServer(provider)
    const origin = listen(inner)
    const forward: Forward = async ({ method, path, headers, body }) => {
      const { hostname, port } = new URL(await origin)
      const { 'accept-encoding': _, 'content-length': __, ...kept } = headers
      const own = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      return new Promise((resolve, reject) => {
        const sent = request({ hostname, port, path, method, headers: { ...kept, ...own } })
        sent.on('error', reject)
        sent.on('response', async (response) => {
          const status = response.statusCode ?? 0
          resolve({ status, headers: headersOf(response), body: await text(response) })
        })
        sent.end(body)
      })
    }
    return async (incoming, outgoing) => {
      const { method = 'GET', url: path = '/' } = incoming
      const passing = { method, path, headers: headersOf(incoming), body: await text(incoming) }
      const { status, headers, body } = await spoil()(passing, forward)
      const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = headers
      // A cookie of its own line each: the sign-in has several.
      const cookies = kept['set-cookie']?.split('\n')
      outgoing.writeHead(status, { ...kept, ...(cookies ? { 'set-cookie': cookies } : {}) })
      outgoing.end(body)
    }
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join('\n') : value,
    ]),
  )
}
