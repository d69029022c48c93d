import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { type Example, OWN_SECRETS, start } from './support.ts'

interface Seen {
  readonly status: number | undefined
  readonly location: string | undefined
}

/** The answer to a browser that opens a host name, at any address. */
function visit(port: number, host: string, path: string, method = 'GET'): Promise<Seen> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, location: response.headers.location })
    })
      .on('error', reject)
      .end()
  })
}

describe('example provider: pages under another name of this machine', () => {
  let example: Example
  let port: number
  before(async () => {
    example = await start()
    port = Number(new URL(example.url).port)
  })
  after(() => example.close())

  it('send to the one that the provider knows, whatever is asked of them', async () => {
    for (const name of ['127.0.0.1', '[::1]', '127.1.2.3', '127.1']) {
      for (const path of [
        '/',
        '/console',
        '/account',
        '/console?x=1&y=%2F',
        '/console/act?user=alice',
      ]) {
        for (const method of ['GET', 'HEAD']) {
          expect(await visit(port, `${name}:${port}`, path, method), name + path).to.deep.equal({
            status: 307,
            location: example.url + path,
          })
        }
      }
    }
  })

  it('are shown under the name that the provider knows', async () => {
    for (const path of ['/', '/console', '/account']) {
      for (const host of [`localhost:${port}`, `LOCALHOST:${port}`]) {
        expect(await visit(port, host, path)).to.deep.equal({ status: 200, location: undefined })
      }
    }
  })

  it('lead nowhere else: not from other names, and not from what only looks like one', async () => {
    for (const host of [
      'elsewhere.example',
      `127.0.0.1.elsewhere.example:${port}`,
      `192.168.0.1:${port}`,
      '127.0.0.1:1',
      '127.0.0.1',
      ':',
      '[',
      `127.0.0.1:${port}x`,
    ]) {
      const { location } = await visit(port, host, '/console')
      expect(location, host).to.equal(undefined)
    }
    for (const path of ['//elsewhere.example/console', '/console/%2e%2e//elsewhere.example']) {
      const { location = example.url } = await visit(port, `127.0.0.1:${port}`, path)
      expect(new URL(location).origin, path).to.equal(example.url)
    }
  })

  it('are all that is sent on: not what ends a sign-in, and nothing that is no page', async () => {
    for (const path of [
      '/console/callback?code=x',
      '/account/callback?code=x',
      '/support/callback?code=x',
      '/oidc/.well-known/openid-configuration',
      '/console/api/me',
      '/account/api/running',
      '/console/assets/icon.svg',
      '/consoles',
      '/assets/icon.svg',
    ]) {
      expect((await visit(port, `127.0.0.1:${port}`, path)).location, path).to.equal(undefined)
    }
    for (const method of ['POST', 'PUT', 'OPTIONS']) {
      const { location } = await visit(port, `127.0.0.1:${port}`, '/console', method)
      expect(location, method).to.equal(undefined)
    }
  })

  // Each BASE_URL is the address of a proxy; the proxy may then set any `Host`.
  for (const base of ['http://localhost:8080', 'https://localhost', 'https://id.example.com']) {
    it(`do not loop behind a proxy at ${base} that passes the name of what is behind it`, async () => {
      const own = await freePort()
      await using stack = new AsyncDisposableStack()
      const environment = { ...OWN_SECRETS, PORT: String(own), BASE_URL: base }
      stack.adopt(await start(environment), (it) => it.close())
      for (const host of [`127.0.0.1:${own}`, `localhost:${own}`, '127.0.0.1']) {
        expect((await visit(own, host, '/console')).status, host).to.equal(200)
      }
    })
  }

  it('leave what the provider says of itself as it is', async () => {
    const issuer = await new Promise((resolve, reject) => {
      const headers = { host: `127.0.0.1:${port}` }
      const path = '/oidc/.well-known/openid-configuration'
      request({ host: '127.0.0.1', port, path, headers }, (response) => {
        json(response).then((metadata) => resolve(Object(metadata).issuer), reject)
      }).end()
    })
    expect(issuer).to.equal(`${example.url}/oidc`)
  })
})
