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
