import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { newFolder } from '../support/folder.ts'
import { expectAnswer } from '../support/http.ts'
import { launch, MAIN, OWN_SECRETS, run, send, signIn } from './support.ts'

const EXAMPLE = join(import.meta.dirname, '../../example-provider')
const REQUEST = JSON.stringify({ userId: 'alice', reason: 'r', ticketId: 't' })

describe('npm start', function () {
  this.timeout(120_000)

  it('prints where everything is, and nothing of oidc-provider', async () => {
    await using running = await launch({ DATA_DIR: newFolder() })
    const links = [...running.printed().matchAll(/^(?!POST).*? (http:\S+)$/gm)]
    expect(links.length).to.be.at.least(5)
    for (const [line, url = ''] of links.filter(([line]) => !line.includes('POST'))) {
      await expectAnswer(
        send(url, { redirect: 'follow', headers: { accept: 'text/html' } }),
        { oidc: 404, orders: 401 }[url.split('/')[3] ?? ''] ?? 200,
        undefined,
        line,
      )
    }
    running.child.kill('SIGINT')
    const { stdout, stderr } = await running.ended
    expect(stderr).to.equal('')
    expect(stdout).to.match(/^The example provider is running/)
    expect(stdout).not.to.match(/NOTICE|WARNING/)
  })

  it('keeps keys and data in DATA_DIR, for their owner alone, until the next start', async () => {
    const DATA_DIR = join(newFolder(), 'not', 'there', 'yet')
    const keysOfStart = async () => {
      await using running = await launch({ DATA_DIR })
      return (await send(`${running.url}/oidc/jwks`)).text
    }
    const first = await keysOfStart()
    const files = await readdir(DATA_DIR)
    expect(files).to.include.members(['signing-keys.json', 'cookie-keys.json', 'provider.sqlite'])
    for (const file of files) {
      expect((await stat(join(DATA_DIR, file))).mode & 0o777, file).to.equal(0o600)
    }
    expect(await keysOfStart()).to.equal(first)
  })

  it('runs in production on keys and secrets of its own, and prints none of them', async () => {
    const folder = newFolder()
    const JWKS_FILE = join(folder, 'jwks.json')
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    await writeFile(JWKS_FILE, JSON.stringify({ keys: [await exportJWK(privateKey)] }))
    const secrets = { ...OWN_SECRETS, COOKIE_KEYS: 'a-cookie-key-of-our-own' }
    const environment = {
      NODE_ENV: 'production',
      BASE_URL: 'https://id.example.com',
      SHOP_URL: 'https://shop.example.com',
      STORAGE_URL: 'memory:',
      JWKS_FILE,
      DATA_DIR: folder,
      ...secrets,
    }
    await using running = await launch(environment, '--commands')
    for (const secret of Object.values(secrets)) {
      expect(running.printed()).not.to.include(secret)
    }
    expect(await readdir(folder), 'made nothing').to.deep.equal(['jwks.json'])
  })

  it('tells every variable with --help', async () => {
    const { code, stdout } = await run(MAIN, {}, '--help')
    expect(code).to.equal(0)
    const config = await readFile(join(EXAMPLE, 'config.ts'), 'utf8')
    const names = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name)
    expect(names.length).to.be.above(15)
    for (const name of names) expect(stdout).to.match(new RegExp(`^ {2}${name} `, 'm'))
  })

  it('finishes the request in flight at SIGTERM, and takes no new ones', async () => {
    await using running = await launch({ DATA_DIR: newFolder(), STORAGE_URL: 'memory:' })
    const { child, url, ended } = running
    const begun = request(`${url}/support/impersonations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await signIn(url)}`,
        'content-type': 'application/json',
        'content-length': REQUEST.length,
        expect: '100-continue',
      },
    })
    begun.flushHeaders()
    await once(begun, 'continue')
    child.kill('SIGTERM')
    while (await send(url).then(Boolean, () => false)) await wait(10)
    expect(child.exitCode).to.equal(null)
    // The remaining work calls the provider, which must still run.
    const answered = once(begun, 'response')
    begun.end(REQUEST)
    const [response] = await answered
    expect(response.statusCode).to.equal(201)
    expect(JSON.parse(await text(response))).to.have.property('subjectToken')
    const { code, stderr } = await ended
    expect([code, stderr]).to.deep.equal([0, ''])
  })
})
