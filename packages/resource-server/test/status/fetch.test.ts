import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { renewed } from '../../../../test/support/shared.ts'
import { startTokenIssuer } from '../../../../test/support/token-issuer.ts'
import { underIssuer } from '../../src/status/fetch-list.ts'
import { hurriedTimeouts } from '../hurried-timeouts.ts'
import { type StatusProvider, startStatusProvider, verdict } from './status-provider.ts'

const MEDIA_TYPE = 'application/statuslist+jwt'

// The sentences are of draft-ietf-oauth-status-list-21.
describe('the guard: fetching a status list', () => {
  const provider = renewed(startStatusProvider)

  /** Returns the verdict of a guard that holds no list yet on a good token. */
  async function first(token?: string): Promise<string> {
    return await verdict(provider.guard(), token ?? (await provider.impersonated(1)))
  }

  // §8.1: "The Status Provider MUST return the Status List Token in response to an HTTP GET request
  // to the URI provided in the Referenced Token".
  it('is a GET that asks for the media type, and for no old copy of a cache', async () => {
    const seen: unknown[] = []
    const { answer } = provider
    provider.answer = (request, response) => {
      const { accept, 'cache-control': cacheControl, authorization } = request.headers
      seen.push([request.method, request.url, accept, cacheControl, authorization])
      answer(request, response)
    }
    expect(await first()).to.equal('alice')
    expect(seen).to.deep.equal([['GET', '/status-lists/a', MEDIA_TYPE, 'max-age=1', undefined]])
  })

  // §8.2: "A successful response that contains a Status List Token MUST use an HTTP status code in
  // the 2xx range." "The Status Provider MUST use the following content-type".
  it('a response of another status or content type is none', async () => {
    const { serve, list } = provider
    for (const [status, type, expected] of [
      [203, `${MEDIA_TYPE.toUpperCase()} ; charset=utf-8`, 'alice'],
      [304, MEDIA_TYPE, '503'],
      [404, MEDIA_TYPE, '503'],
      [500, MEDIA_TYPE, '503'],
      [200, 'application/jwt', '503'],
      [200, 'application/statuslist+cwt', '503'],
      [200, 'text/html', '503'],
    ] as const) {
      provider.answer = serve(list, { 'content-type': type }, status)
      expect(await first(), `${status} ${type}`).to.equal(expected)
    }
    // "The HTTP response SHOULD use Content-Encoding (such as gzip)".
    const gzip = { 'content-type': MEDIA_TYPE, 'content-encoding': 'gzip' }
    provider.answer = async (_request, response) => {
      response.writeHead(200, gzip).end(gzipSync(await provider.list()))
    }
    expect(await first()).to.equal('alice')
  })

  it('a body that is too large is not read to its end, compressed or not', async () => {
    let sent = 0
    const chunk = Buffer.alloc(2 ** 16, 'a')
    provider.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': MEDIA_TYPE })
      const send = () => {
        while (sent < 2 ** 30 && !response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', send)
        }
      }
      send()
    }
    expect(await first()).to.equal('503')
    expect(sent).to.be.lessThan(2 ** 26)
    provider.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': MEDIA_TYPE, 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(2 ** 24, 'a')))
    }
    expect(await first()).to.equal('503')
  })

  it('a provider that is slow, at any part of its answer, is waited for two seconds', async () => {
    using timeouts = hurriedTimeouts(2000)
    const head = { 'content-type': MEDIA_TYPE }
    for (const answer of [
      () => {},
      (_request, response) => void response.writeHead(200, head).write('ey'),
      (_request, response) =>
        void response.writeHead(302, { location: '/status-lists/b' }).write('a'),
    ] satisfies StatusProvider['answer'][]) {
      provider.answer = (request, response) => {
        if (request.url?.endsWith('/a')) answer(request, response)
      }
      timeouts.asked.length = 0
      expect(await first()).to.equal('503')
      expect(timeouts.asked.filter((milliseconds) => milliseconds < 5000)).to.deep.equal([2000])
    }
  })

  // §11.4: "HTTP clients that follow 3xx (Redirection) status codes MUST be aware of the possible
  // dangers of redirects, such as infinite redirection loops".
  describe('a redirect', () => {
    /** Sends `/status-lists/a` to the location, and serves the list everywhere else. */
    function redirect(location: string, status = 302): void {
      provider.answer = (request, response) => {
        if (request.url !== '/status-lists/a')
          return provider.serve(provider.list)(request, response)
        response.writeHead(status, { location }).end()
      }
    }

    it('under the issuer is followed, by each status of RFC 9110 §15.4', async () => {
      for (const [status, location] of [
        [301, '/status-lists/b'],
        [302, 'b'],
        [303, `${provider.issuer}/status-lists/b`],
        [307, 'b'],
        [308, 'b'],
      ] as const) {
        redirect(location, status)
        expect(await first(), `${status}`).to.equal('alice')
      }
    })

    it('elsewhere is not followed', async () => {
      using other = await startTokenIssuer()
      const { port } = new URL(provider.issuer)
      for (const location of [
        `${other.issuer}/status-lists/b`,
        `//${new URL(other.issuer).host}/`,
        `http://user@127.0.0.1:${port}/status-lists/b`,
        `http://localhost:${port}/status-lists/b`,
        'http://[',
      ]) {
        redirect(location)
        provider.asked.length = 0
        expect(await first(), location).to.equal('503')
        expect(provider.asked, location).to.deep.equal(['/status-lists/a'])
      }
      expect(other.asked).to.deep.equal([])
    })

    it('is followed three times, and not a fourth time', async () => {
      for (const [redirects, expected] of [
        [3, 'alice'],
        [4, '503'],
        [Number.POSITIVE_INFINITY, '503'],
      ] as const) {
        provider.asked.length = 0
        provider.answer = (request, response) => {
          const followed = provider.asked.length
          if (followed > redirects) return provider.serve(provider.list)(request, response)
          response.writeHead(307, { location: `/status-lists/${followed}` }).end()
        }
        expect(await first()).to.equal(expected)
        expect(provider.asked).to.have.lengthOf(4)
      }
    })
  })
})

describe('the guard: URLs under the issuer', () => {
  const under = underIssuer('https://id.example.com/oidc')
  const right = ['https://id.example.com/oidc/a', 'https://id.example.com:443/oidc/a?b=c']
  const wrong = [
    'https://id.example.com/oidc',
    'https://id.example.com/oidc-evil/a',
    'https://id.example.com/',
    'https://id.example.com.evil/oidc/a',
    'https://evil@id.example.com/oidc/a',
    'https://:@id.example.com/oidc/a#b',
    'https://id.example.com:8443/oidc/a',
    'http://id.example.com/oidc/a',
    'https://id.example.com/oidc/../a',
    'https://id.example.com/oidc/a/..',
    'https://id.example.com/oidc/%2e%2E/a',
    'https://id.example.com/oidc/.%2e/a',
    'https://id.example.com/oidc/..%2fa',
    'https://id.example.com/oidc/..%5Ca',
    'https://id.example.com/oidc/..\\a',
    'https://id.example.com\\@evil/oidc/a',
    'https://id.example.com/oi\ndc/a',
    ' https://id.example.com/oidc/a',
    'https://id.example.com/oidc/a#',
    '//id.example.com/oidc/a',
    'oidc/a',
    '',
  ]
  it('are of its origin and below its path, and can be read in one way', () => {
    for (const url of right) expect(under(url)?.pathname, url).to.equal('/oidc/a')
    for (const url of wrong) expect(under(url), JSON.stringify(url)).to.equal(undefined)
  })

  it('an issuer without a path, or with a slash at its end, has all that is below', () => {
    for (const issuer of ['https://id.example.com', 'https://id.example.com/']) {
      expect(underIssuer(issuer)('https://id.example.com/a')?.pathname).to.equal('/a')
      expect(underIssuer(issuer)('https://id.example.com.evil/a')).to.equal(undefined)
    }
    expect(underIssuer('https://ID.example.com:443/oidc/')(right[0] ?? '')).to.be.instanceOf(URL)
  })
})
