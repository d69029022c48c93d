import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { readConfig } from '../../example-provider/config.ts'
import { onAlarm } from '../../example-provider/console.ts'
import { banner } from '../../example-provider/demo/banner.ts'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { STRICT_RULES } from '../../example-provider/demo/strict.ts'
import { authorize } from '../../example-provider/policy.ts'
import { quietly } from '../../packages/console/test/support/quietly.ts'
import type { Authorize } from '../../src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { Browser } from '../docs/browser-by-hand.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { bare, DEMO, OWN_SECRETS, run, send, start } from './support.ts'

describe('the example', function () {
  this.timeout(120_000)
  const example = shared(start)

  /** The sign-in page of a browser of its own. */
  async function beginSignIn(headers = {}) {
    const browser = new Browser()
    const begun = await browser.send(authorizationUrl(example.url), { headers })
    return { browser, page: new URL(begun.headers.get('location') ?? '', example.url).href }
  }

  for (const [asked, shown, words] of [
    ['de-AT,de;q=0.9', 'de', /Geschichten|Post|Laden|Bestellungen|Anmelden/],
    ['fr', 'en', /stories|Mail|orders|Sign in/],
  ] as const) {
    it(`shows who asks for ${asked} each page in ${shown}, without scripts of others, and stored nowhere`, async () => {
      const headers = { 'accept-language': asked, accept: 'text/html' }
      const { browser, page } = await beginSignIn(headers)
      for (const url of [example.url, `${example.url}/mail`, `${example.shopUrl}/`, page]) {
        const { text, headers: sent } = await browser.send(url, { headers })
        expect(text).to.include(`<html lang="${shown}"`).and.match(words).and.not.include('{{')
        const policy = sent.get('content-security-policy')?.split(';')
        const scripts = url.startsWith(`${example.shopUrl}`) ? "script-src 'self'" : 'script-src'
        expect(policy, url).to.include.members([scripts, "base-uri 'none'"])
        expect(sent.get('x-content-type-options')).to.equal('nosniff')
        if (url.startsWith(example.url)) expect(sent.get('cache-control')).to.equal('no-store')
      }
    })
  }

  it('is at BASE_URL, whatever a request says, with secure cookies', async () => {
    const PORT = String(await freePort())
    await using _ = await start({ ...OWN_SECRETS, BASE_URL: 'https://id.example.com', PORT })
    const forged = { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'http' }
    const at = (url: string) =>
      send(url.replace('https://id.example.com', `http://127.0.0.1:${PORT}`), { headers: forged })
    const { body } = await at('https://id.example.com/oidc/.well-known/openid-configuration')
    const { headers } = await at(authorizationUrl('https://id.example.com'))
    for (const [name, value] of Object.entries(body)) {
      if (/^issuer$|_endpoint$|_uri$/.test(name)) {
        expect(value, name).to.match(/^https:\/\/id\.example\.com\/oidc/)
      }
    }
    for (const cookie of headers.getSetCookie()) expect(cookie).to.match(/; secure; httponly/i)
  })

  it('signs nobody in by the form of another site, with the cookie and the right password', async () => {
    const { browser, page } = await beginSignIn()
    const body = new URLSearchParams({ login: 'olivia', password: 'demo-password' })
    const statuses: number[] = []
    for (const site of ['cross-site', 'same-site', 'same-origin']) {
      const headers = { 'sec-fetch-site': site }
      statuses.push((await browser.send(page, { method: 'POST', body, headers })).status)
    }
    expect(statuses).to.deep.equal([403, 403, 303])
  })

  it('lets twenty wrong passwords through, all at once, and no more', async () => {
    const { browser, page } = await beginSignIn()
    const guess = (login: string, password: string) =>
      browser.send(page, { method: 'POST', body: new URLSearchParams({ login, password }) })
    const answers = await Promise.all(Array.from({ length: 25 }, () => guess('oscar', 'wrong')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([...Array(20).fill(401), ...Array(5).fill(429)])
    const right = await guess(' OSCAR ', 'demo-password')
    expect(right.status).to.equal(429)
    expect(Number(right.headers.get('retry-after'))).to.be.within(1, 600)
    await expectAnswer(guess('alice', 'demo-password'), 303)
  })

  it('lets pages of the shop alone call the orders, and never with cookies; takes no compressed body', async () => {
    const allowed = async (path: string, origin = example.shopUrl ?? '') => {
      const headers = { origin, 'access-control-request-method': 'PATCH' }
      const answer = await send(example.url + path, { method: 'OPTIONS', headers })
      expect(answer.headers.get('access-control-allow-credentials')).to.equal(null)
      return answer.headers.get('access-control-allow-origin')
    }
    expect(await allowed('/orders/A-1')).to.equal(example.shopUrl)
    expect(await allowed('/orders/A-1', 'https://elsewhere.example')).to.equal(null)
    for (const path of ['/support/impersonations', '/console/me', '/']) {
      expect(await allowed(path), path).to.equal(null)
    }
    const init = { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: 'x' }
    await expectAnswer(send(`${example.url}/support/impersonations`, init), 415)
  })

  for (const secrets of [
    {},
    {
      STRICT: '1',
      DEMO_PASSWORD: "it's 100% & $HOME+more",
      SUPPORT_BACKEND_SECRET: 'backend-secret-of-our-own',
    },
  ]) {
    const rules = 'STRICT' in secrets ? 'stricter' : 'usual'
    it(`prints commands that work as they are, pasted into bash: ${rules} rules`, async () => {
      await using server = await start(secrets)
      const printed = banner(readConfig({ STORAGE_URL: 'memory:', ...secrets }), server.url, {
        commands: true,
        shopUrl: 'http://127.0.0.1:3001',
      })
      // A user copies the lines that are indented by two spaces.
      const script = [...printed.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line).join('\n')
      const shell = spawn('bash', ['--norc', '-u'], { env: bare(secrets) })
      shell.stdin.end(`${script}\n`)
      const [stdout, stderr] = await Promise.all([
        text(shell.stdout),
        text(shell.stderr),
        once(shell, 'exit'),
      ])
      expect(stderr).to.equal('')
      const lines = stdout.trim().split('\n')
      expect(lines[0]).to.match(/^Signed in: 43 characters/)
      expect(JSON.parse(lines[3] ?? '')).to.include({ userId: 'alice', actor: 'olivia' })
      const { access_token, ...last } = JSON.parse(lines.at(-1) ?? '')
      expect(last).to.include({ token_type: 'Bearer', scope: 'orders:read' })
      expect(decodeJwt(access_token)).to.deep.include({ sub: 'alice', act: { sub: 'olivia' } })
    })
  }

  it('has a demo that walks the whole flow, and prints no token that could be used', async () => {
    const { code, stdout, stderr } = await run(DEMO)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(42)
    expect(stdout.match(/^ {4}[\d.]+ s after the end$/gm), 'refused').to.have.lengthOf(4)
    expect(stdout).not.to.match(/eyJ[\w-]{20,}/)
    // A jti and an id have the same length, but give no access.
    const [, file = ''] = /^The log of the server: (.*)\n$/m.exec(stdout) ?? []
    const log = await readFile(file, 'utf8')
    await rm(dirname(file), { recursive: true })
    expect(log).to.match(/^\{"event":"impersonation.issued",/m)
    for (const word of (stdout + log).match(/[\w-]{43,}/g) ?? []) {
      const harmless = `"jti": ?"impersonation:${word}"|"(?:id|permit)":"${word}"|/audit/${word}$`
      expect(stdout + log).to.match(new RegExp(harmless, 'm'))
    }
  })

  it('has a demo that walks it by the stricter rules', async () => {
    const { code, stdout, stderr } = await run(DEMO, { STRICT: '1' })
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout.match(/^✓/gm)).to.have.lengthOf(36)
    expect(stdout).to.include('reason and ticket: refused').and.include('an operator must act')
  })

  it('lets nobody act as themselves, and by the stricter rules no software for an operator', async () => {
    const asked = (rule: Authorize, sub: string, software?: string) =>
      Reflect.apply(rule, undefined, [
        { account: { accountId: 'alice' }, actor: { sub }, software, context: {} },
      ])
    expect([asked(authorize, 'olivia'), asked(authorize, 'alice')]).to.deep.equal([true, false])
    const strict = [undefined, 'copilot'].map((by) => asked(STRICT_RULES.authorize, 'olivia', by))
    expect(await Promise.all(strict)).to.deep.equal([true, false])
  })

  it('writes an alarm as one line, without signs that a terminal obeys', async () => {
    const id = 'eve\u202e\u2028\n\u001b[31m'
    const counts = { reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 }
    const impersonation = { id: 'x', at: 0, lastAt: 0, ...counts, customer: { id } }
    const alarm = { id: 'x', kind: 'objection', timeMs: 0, impersonation } as const
    const { stdout } = await quietly(() => onAlarm({ ...alarm, url: 'https://id.example.com/x' }))
    expect(stdout).to.deep.equal([
      `alarm: objection, no operator as eve${String.raw`\u202e\u2028\u000a\u001b`}[31m: https://id.example.com/x`,
    ])
  })
})
