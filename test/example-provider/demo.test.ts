import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { DEMO, type Example, listen, run, start } from './support.ts'

describe('example provider: the demo', function () {
  this.timeout(120_000)

  it('walks the whole flow against a server of its own, ends with 0, and prints no token that could be used', async () => {
    const { code, stdout, stderr } = await run(DEMO)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(42)
    expect(stdout).to.include('"support_engineer": "olivia"').and.include('"actor": "olivia"')
    expect(stdout.match(/^ {4}[\d.]+ s after the end$/gm), 'refused').to.have.lengthOf(4)
    expect(stdout).not.to.match(/eyJ[\w-]{20,}/)
    // A jti and an id have the same length, but give no access.
    const [, file = ''] = /^The log of the server: (.*)\n$/m.exec(stdout) ?? []
    const log = await readFile(file, 'utf8')
    await rm(dirname(file), { recursive: true })
    expect(stdout, 'nothing of the log between the steps').not.to.match(/^\{/m)
    expect(log).to.match(/^\{"event":"impersonation.issued",/m)
    for (const word of (stdout + log).match(/[\w-]{43,}/g) ?? []) {
      expect(stdout + log).to.match(
        new RegExp(
          `"jti": ?"impersonation:${word}"|"(?:id|permit)":"${word}"|/audit/${word}$`,
          'm',
        ),
      )
    }
  })

  it('walks it by the stricter rules', async () => {
    const { code, stdout, stderr } = await run(DEMO, { STRICT: '1' })
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(36)
    expect(stdout).to.include('reason and ticket: refused').and.include('an operator must act')
  })

  it('ends with 1 and one line where a server that runs already accepts a used token once more', async () => {
    const secrets = {
      DEMO_PASSWORD: 'another password',
      SUPPORT_BACKEND_SECRET: 'another secret: 100% & +more',
    }
    const example = await forgetful(secrets)
    const { code, stdout, stderr } = await run(DEMO, secrets, '--url', example.url)
    await example.close()
    expect(stdout).to.match(/^✓ Exchange it/m)
    expect(stderr).to.match(/^✗ Exchange the same subject token again.*accepted once more\n$/)
    expect(code).to.equal(1)
  })

  it('ends with 1 and one line where nothing listens', async () => {
    const gone = await listen(() => {})
    await gone.close()
    const { code, stderr } = await run(DEMO, {}, '--url', gone.url)
    expect(code).to.equal(1)
    expect(stderr).to.match(/^✗ Discover the provider at .*ECONNREFUSED.*\n$/)
  })
})

/** An example behind a proxy that answers a second exchange with the answer of the first. */
async function forgetful(environment: Record<string, string>): Promise<Example> {
  let upstream = ''
  let first: string | undefined
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
    for (const name of ['content-type', 'location', 'cache-control']) {
      const value = answer.headers.get(name)
      if (value !== null) response.setHeader(name, value)
    }
    response.setHeader('set-cookie', answer.headers.getSetCookie())
    if (body.includes('issued_token_type')) first = body
    const refused = request.url === '/oidc/token' && answer.status === 400
    if (refused && first !== undefined) response.writeHead(200).end(first)
    else response.writeHead(answer.status).end(body)
  })
  const example = await start({ ...environment, BASE_URL: proxy.url })
  upstream = example.providerUrl
  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      await example.close()
    },
  }
}
