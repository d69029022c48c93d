import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Example } from '../../example-provider/server.ts'
import { DEMO, listen, run, start } from './support.ts'

describe('example provider: the demo', function () {
  this.timeout(30_000)

  it('walks the whole flow against a server of its own, and ends with 0', async () => {
    const { code, stdout, stderr } = await run(DEMO)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(15)
    expect(stdout).to.include('"support_engineer": "olivia"').and.include('"actor": "olivia"')
  })

  it('prints no token that could be used', async () => {
    const { stdout } = await run(DEMO)
    expect(stdout).not.to.match(/eyJ[\w-]{20,}/)
    const words = stdout.match(/[\w-]{43,}/g) ?? []
    // A jti and an id are of that length, too, and open nothing.
    for (const word of words) {
      expect(stdout).to.match(new RegExp(`"jti": ?"impersonation:${word}"|"id":"${word}"`))
    }
  })

  it('walks it by the stricter rules', async () => {
    const { code, stdout, stderr } = await run(DEMO, { STRICT: '1' })
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(14)
    expect(stdout).to.include('reason and ticket: refused').and.include('somebody must act')
  })

  it('finds out that a server is not as strict as it should be', async () => {
    const example = await start()
    const { code, stderr } = await run(DEMO, { STRICT: '1' }, '--url', example.url)
    await example.close()
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Ask it without reason and ticket: .*\n$/)
  })

  it('walks it against a server that runs already', async () => {
    const secrets = {
      DEMO_PASSWORD: 'another password',
      SUPPORT_BACKEND_SECRET: 'another secret: 100% & +more',
    }
    const example = await start(secrets)
    const good = await run(DEMO, secrets, '--url', example.url)
    const bad = await run(DEMO, {}, '--url', example.url)
    await example.close()
    expect(good.code).to.equal(0)
    expect(bad.code).to.equal(1)
    expect(bad.stderr).to.match(/^✗ Sign in as olivia.*password.*\n$/)
  })

  it('explains itself with --help', async () => {
    const { code, stdout } = await run(DEMO, {}, '--help')
    expect(code).to.equal(0)
    expect(stdout).to.include('--url')
  })

  for (const args of [['--nonsense'], ['--url'], ['--url', 'localhost:3000'], ['surplus']]) {
    it(`refuses ${args.join(' ')} in one line`, async () => {
      const { code, stderr } = await run(DEMO, {}, ...args)
      expect(code).to.equal(1)
      expect(stderr).not.to.match(/^ +at /m)
    })
  }

  it('ends with 1 and one line when there is no server', async () => {
    const gone = await listen(() => {})
    await gone.close()
    const { code, stderr } = await run(DEMO, {}, '--url', gone.url)
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Discover the provider at .*ECONNREFUSED.*\n$/)
  })

  for (const status of [200, 500]) {
    it(`ends with 1 when the server answers ${status} and nonsense`, async () => {
      const broken = await listen((_request, response) => response.writeHead(status).end('hello'))
      const { code, stderr } = await run(DEMO, {}, '--url', broken.url)
      await broken.close()
      expect(code).to.equal(1)
      expect(stderr).to.match(/^✗ Discover the provider at .*\n$/)
    })
  }
})

/** What somebody in between makes of a request that was answered; `undefined` leaves it alone. */
type Tamper = (path: string, status: number, body: string) => [number, string] | undefined

describe('example provider: the demo finds out', function () {
  this.timeout(30_000)

  /** An example whose answers pass through the hands of somebody who changes them. */
  async function tampered(tamper: Tamper): Promise<Example> {
    let upstream = ''
    const proxy = await listen(async (request, response) => {
      const headers = new Headers()
      for (const name of ['authorization', 'cookie', 'content-type'] as const) {
        const value = request.headers[name]
        if (value !== undefined) headers.set(name, value)
      }
      const answer = await fetch(`${upstream}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        redirect: 'manual',
        ...(request.method === 'POST' ? { body: await buffer(request) } : {}),
      })
      const body = await answer.text()
      const [status, text] = tamper(request.url ?? '', answer.status, body) ?? [answer.status, body]
      for (const name of ['content-type', 'location', 'cache-control']) {
        const value = answer.headers.get(name)
        if (value !== null) response.setHeader(name, value)
      }
      response.setHeader('set-cookie', answer.headers.getSetCookie())
      response.writeHead(status).end(text)
    })
    const free = await listen(() => {})
    await free.close()
    const example = await start({ BASE_URL: proxy.url, PORT: new URL(free.url).port })
    upstream = free.url
    return {
      url: proxy.url,
      async close() {
        await proxy.close()
        await example.close()
      },
    }
  }

  async function demoAgainst(tamper: Tamper): Promise<{ code: number | null; stderr: string }> {
    const example = await tampered(tamper)
    const ended = await run(DEMO, {}, '--url', example.url)
    await example.close()
    return ended
  }

  it('nothing, where nothing is changed', async () => {
    const { code, stderr } = await demoAgainst(() => undefined)
    expect([code, stderr]).to.deep.equal([0, ''])
  })

  it('that a used token was accepted once more', async () => {
    let first: string | undefined
    const { code, stderr } = await demoAgainst((path, status, body) => {
      if (path !== '/oidc/token' || !body.includes('issued_token_type')) {
        const refused = path === '/oidc/token' && status === 400
        return refused && first !== undefined ? [200, first] : undefined
      }
      first = body
      return undefined
    })
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Exchange the same subject token again.*accepted once more\n$/)
  })

  it('that leaving out the actor gets around the binding', async () => {
    let first: string | undefined
    let replays = 0
    const { code, stderr } = await demoAgainst((path, status, body) => {
      if (path !== '/oidc/token') return undefined
      if (body.includes('issued_token_type')) first ??= body
      return status === 400 && body.includes('subject token is invalid') && replays++ > 0
        ? [200, first ?? '']
        : undefined
    })
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Exchange it without an actor token.*around the binding\n$/)
  })

  it('that a protected user is not protected', async () => {
    const { code, stderr } = await demoAgainst((path, status) =>
      path === '/api/subject-tokens' && status === 403 ? [201, '{}'] : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Ask the management API directly to act as grace.*201.*\n$/)
  })

  it('that it was refused in another way', async () => {
    const { code, stderr } = await demoAgainst((path, status) =>
      path === '/oidc/token' && status === 400 ? [401, '{"error":"invalid_grant"}'] : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Exchange the same subject token again.*401 invalid_grant.*\n$/)
  })

  it('that there is more than an access token', async () => {
    const { code, stderr } = await demoAgainst((_path, status, body) =>
      body.includes('issued_token_type')
        ? [status, JSON.stringify({ ...JSON.parse(body), refresh_token: 'r' })]
        : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Exchange it.*more than an access token\n$/)
  })

  it('that the API is wrong about who acts', async () => {
    const { code, stderr } = await demoAgainst((path, status, body) =>
      path === '/orders' ? [status, body.replace('"olivia"', '"grace"')] : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ See the orders of alice.*who acts\n$/)
  })

  it('that the orders are those of somebody else', async () => {
    const { code, stderr } = await demoAgainst((path, status, body) =>
      path === '/orders' ? [status, body.replace('"alice"', '"bob"')] : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ See the orders of alice.*not those of alice\n$/)
  })

  it('that the backend says more than it should', async () => {
    const { code, stderr } = await demoAgainst((path, status, body) =>
      path === '/support/impersonations'
        ? [status, JSON.stringify({ ...JSON.parse(body), sub: 'alice' })]
        : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Ask the support backend.*\n$/)
  })

  it('that an access token is not signed by the provider', async () => {
    const { code, stderr } = await demoAgainst((path, status, body) =>
      path === '/oidc/jwks' ? [status, body.replace(/"x":"../, '"x":"AA')] : undefined,
    )
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ .*\n$/)
  })
})
