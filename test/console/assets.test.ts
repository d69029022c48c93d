import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { type Example, send, start } from '../example-provider/support.ts'

const TYPES: readonly (readonly [path: string, type: string])[] = [
  ['/assets/pico.css', 'text/css; charset=utf-8'],
  ['/assets/browser/example.css', 'text/css; charset=utf-8'],
  ['/assets/browser/icon.svg', 'image/svg+xml'],
  ['/assets/browser/console.js', 'text/javascript; charset=utf-8'],
  ['/assets/browser/console/app.js', 'text/javascript; charset=utf-8'],
  ['/assets/browser/account.js', 'text/javascript; charset=utf-8'],
  ['/assets/oauth4webapi.js', 'text/javascript; charset=utf-8'],
  ['/assets/jose/util/decode_jwt.js', 'text/javascript; charset=utf-8'],
  ['/assets/eventsource-parser/index.js', 'text/javascript; charset=utf-8'],
]

/** All other paths, and every attempt to leave the folders. */
const NOWHERE: readonly string[] = [
  '/assets',
  '/assets/',
  '/assets/browser',
  '/assets/browser/',
  '/assets/browser/tsconfig.json',
  '/assets/jose/package.json',
  '/assets/pico.css/',
  '/assets/pico.css%00',
  '/assets/__proto__',
  '/assets/constructor',
  '/assets/../package.json',
  '/assets/browser/../../package.json',
  '/assets/browser/../../../package.json',
  '/assets/browser/../config.ts',
  '/assets/browser/..%2fconfig.ts',
  '/assets/browser/%2e%2e/config.ts',
  '/assets/browser/%2e%2e%2fconfig.ts',
  '/assets/browser/..%5cconfig.ts',
  '/assets/browser/..\\config.ts',
  '/assets/browser/%252e%252e%252fconfig.ts',
  '/assets//etc/passwd',
  '/assets/%2fetc%2fpasswd',
  '/assets/browser/console%2fapp.js',
]

describe('console: assets', () => {
  let example: Example

  before(async () => {
    example = await start()
  })
  after(() => example.close())

  for (const [path, type] of TYPES) {
    it(`serves ${path} as what it is`, async () => {
      const { status, headers, text } = await send(`${example.url}${path}`)
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal(type)
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin')
      expect(headers.get('cache-control')).to.equal('no-cache')
      expect(headers.get('content-length')).to.equal(String(Buffer.byteLength(text)))
      expect(text).not.to.equal('')
    })
  }

  for (const path of NOWHERE) {
    it(`has nothing at ${path}`, async () => {
      const { status, body } = await plainGet(example.url, path)
      expect(status).to.equal(404)
      expect(JSON.parse(body)).to.include({ error: 'not_found' })
    })
  }

  it('sends nothing again that the browser has', async () => {
    const path = '/assets/browser/console.js'
    const { etag = '' } = (await plainGet(example.url, path)).headers
    expect(etag).to.match(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`]) {
      const answer = await plainGet(example.url, path, { 'if-none-match': known })
      expect([answer.status, answer.body]).to.deep.equal([304, ''])
      expect(answer.headers.etag).to.equal(etag)
    }
    const changed = await plainGet(example.url, path, { 'if-none-match': '"another"' })
    expect(changed.status).to.equal(200)
  })

  it('has a tag of its own for every file', async () => {
    const tags = await Promise.all(
      TYPES.map(async ([path]) => (await send(`${example.url}${path}`)).headers.get('etag')),
    )
    expect(new Set(tags).size).to.equal(TYPES.length)
  })

  it('answers HEAD with the headers alone', async () => {
    const url = `${example.url}/assets/pico.css`
    const whole = await send(url)
    const head = await send(url, { method: 'HEAD' })
    expect([head.status, head.text]).to.deep.equal([200, ''])
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers.get(name), name).to.equal(whole.headers.get(name))
    }
  })

  for (const method of ['POST', 'PUT', 'DELETE']) {
    it(`does not answer ${method}`, async () => {
      const { status } = await send(`${example.url}/assets/pico.css`, { method })
      expect(status).to.equal(404)
    })
  }
})

interface Plain {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Not `fetch`: it resolves the dots of a path first, and prevents answers with 304. */
async function plainGet(
  base: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<Plain> {
  const { hostname, port } = new URL(base)
  const request = get({ hostname, port, path, headers })
  const [response] = await once(request, 'response')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await text(response),
  }
}
