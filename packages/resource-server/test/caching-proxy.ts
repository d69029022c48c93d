import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fetch } from '../src/options.ts'

export interface CacheOptions {
  /** How long it keeps what it was answered, in seconds, whatever `Cache-Control` says. */
  readonly keepFor: number
  /** Whether it says in `Age` how long it has kept it: RFC 9111 §5.1. */
  readonly saysAge: boolean
  /** `Date`: that of what it keeps (RFC 9111 §4.2.3), or its own (nginx, unless told otherwise). */
  readonly date: 'kept' | 'own'
}

export interface CachingProxy {
  /** `fetch` by way of the proxy. */
  readonly fetch: Fetch
  close(): void
}

interface Kept {
  readonly at: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/**
 * A proxy over HTTP that keeps answers for longer than they allow.
 *
 * @param now its clock, in milliseconds since the epoch
 */
export async function startCachingProxy(
  { keepFor, saysAge, date }: CacheOptions,
  upstream: string,
  now: () => number,
): Promise<CachingProxy> {
  const kept = new Map<string, Kept>()

  async function lookUp(path: string, headers: IncomingHttpHeaders): Promise<Kept> {
    const known = kept.get(path)
    if (known && now() - known.at < keepFor * 1000) return known
    const { accept = '*/*' } = headers
    const answer = await fetch(upstream + path, { headers: { accept } })
    const entry = {
      at: now(),
      headers: {
        'content-type': answer.headers.get('content-type') ?? '',
        date: answer.headers.get('date') ?? '',
      },
      body: Buffer.from(await answer.arrayBuffer()),
    }
    kept.set(path, entry)
    return entry
  }

  const server = createServer(async (request, response) => {
    const { at, headers, body } = await lookUp(request.url ?? '', request.headers)
    const age = String(Math.floor((now() - at) / 1000))
    response.writeHead(200, {
      ...headers,
      ...(date === 'own' ? { date: new Date(now()).toUTCString() } : {}),
      ...(saysAge ? { age } : {}),
    })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    fetch: (url, init) => fetch(url.replace(upstream, `http://127.0.0.1:${port}`), init),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
