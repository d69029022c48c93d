import { request as httpRequest } from 'node:http'

/** The answer of an API. */
export interface Answer {
  readonly status: number
  readonly challenge: string | undefined
  readonly cacheControl: string | undefined
  readonly retryAfter: string | undefined
  readonly type: string | undefined
  readonly body: string
}

/** Sends a request as it stands: repeated headers, and any request target. */
export function send(origin: string, path: string, headers: Record<string, string | string[]>) {
  return new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    httpRequest({ hostname, port, path, headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({
        status: Number(response.statusCode),
        challenge: response.headers['www-authenticate'],
        cacheControl: response.headers['cache-control'],
        retryAfter: response.headers['retry-after'],
        type: response.headers['content-type'],
        body,
      })
    })
      .on('error', reject)
      .end()
  })
}
