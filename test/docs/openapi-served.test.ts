import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { type Example, send, start } from '../example-provider/support.ts'

describe('example provider: GET /openapi.yaml', () => {
  let example: Example
  let url: string
  before(async () => {
    example = await start()
    url = `${example.url}/openapi.yaml`
  })
  after(() => example.close())

  it('answers docs/openapi.yaml as YAML, to be kept for five minutes', async () => {
    const { status, headers, text } = await send(url)
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('application/yaml')
    expect(headers.get('cache-control')).to.equal('max-age=300')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    const file = new URL('../../docs/openapi.yaml', import.meta.url)
    expect(text).to.equal(await readFile(file, 'utf8'))
  })

  it('answers HEAD with the headers alone, and 304 where nothing has changed', async () => {
    const head = await send(url, { method: 'HEAD' })
    expect([head.status, head.text]).to.deep.equal([200, ''])
    const etag = head.headers.get('etag') ?? ''
    expect(etag).to.match(/^"[\w-]{43}"$/)
    // Without this, `fetch` forbids caches to answer with 304.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
    const again = await send(url, { headers })
    expect([again.status, again.text]).to.deep.equal([304, ''])
  })

  it('has nothing there for other methods, as the other pages', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, body } = await send(url, { method })
      expect([status, body.error], method).to.deep.equal([404, 'not_found'])
    }
  })

  it('names paths that the example has', async () => {
    const { text } = await send(url)
    const paths = [...text.matchAll(/^ {2}(\/[\w/{}-]+):$/gm)].map(([, path]) => path)
    expect(paths).to.deep.equal([
      '/api/subject-tokens',
      '/api/impersonations',
      '/api/impersonations/{id}',
      '/api/impersonations/{id}/end',
      '/api/impersonations/end',
      '/oidc/token',
      '/oidc/impersonations/current',
      '/oidc/impersonations/current/end',
      '/oidc/status-lists',
      '/oidc/status-lists/{list}',
    ])
    for (const path of paths) {
      const { status } = await send(`${example.url}${path}`, { method: 'POST' })
      expect(status, path).to.be.oneOf([400, 401, 405])
    }
  })
})
