import { expect } from 'chai'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { type Verification, verify } from 'oidc-provider-impersonation-verify'
import { createApp } from '../../example-provider/app.ts'
import { readConfig } from '../../example-provider/config.ts'
import { Application } from '../../example-provider/demo/application.ts'
import { withHistory } from '../../example-provider/demo/history/fill.ts'
import { startServer } from '../../example-provider/server.ts'
import { OWN_SECRETS, send, temporaryFolder } from './support.ts'

const CONSOLE = { clientId: 'support-console', redirectPath: '/console/callback' } as const
const IMPERSONATIONS = 300
const YEAR_MS = 365 * 86_400_000

describe('npm start -- --with-history', function () {
  this.timeout(60_000)
  let folder: AsyncDisposable & { path: string }
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder[Symbol.asyncDispose]())

  function startFilled(environment: Record<string, string> = {}) {
    const ports = { PORT: '0', SHOP_PORT: '0', DATA_DIR: folder.path }
    const config = readConfig({ ...ports, ...environment })
    return startServer(config, withHistory(config, createApp, IMPERSONATIONS))
  }

  /** Asks the API of the console, as its page does. */
  async function asks(url: string, login: string) {
    const application = await Application.discover(url, CONSOLE)
    const authorization = `Bearer ${await application.signIn(login, 'demo-password')}`
    return (path: string) => send(`${url}/console/api${path}`, { headers: { authorization } })
  }

  async function verified(url: string, text: string): Promise<Verification> {
    const keys = JSON.parse((await send(`${url}/oidc/jwks`)).text) as JSONWebKeySet
    async function* read() {
      yield Buffer.from(text)
    }
    return verify({ read, keys: createLocalJWKSet(keys) })
  }

  it('fills a year that verify finds whole, and that holds up nobody', async () => {
    const { url, close } = await startFilled()
    const ada = await asks(url, 'ada')
    const { text } = await ada('/audit/entries.jsonl')
    const found = await verified(url, text)
    expect(found.rows).to.be.within(IMPERSONATIONS, IMPERSONATIONS * 1.1)
    expect(found.permits).to.be.above(10)
    expect(found.unprovedRows, 'rows that are not proved').to.equal(0)

    const times = [...text.matchAll(/\\"timeMs\\":(\d+)/g)].map(([, time]) => Number(time))
    expect(Math.min(...times)).to.be.within(Date.now() - 1.1 * YEAR_MS, Date.now() - 0.9 * YEAR_MS)
    expect(Math.max(...times)).to.be.at.most(Date.now())
    const [, begun] = /\\"event\\":\\"audit.begun\\",\\"timeMs\\":(\d+)/.exec(text) ?? []
    expect(Number(begun), 'its chain begins with it').to.equal(Math.min(...times))

    // A newcomer who plays the stories of the start page has nothing to tidy up first.
    const grace = await asks(url, 'grace')
    for (const path of ['/alarms', '/permits?open=true', '/pauses']) {
      const { status, text: answer } = await grace(path)
      expect(status, path).to.equal(200)
      const operators = [...answer.matchAll(/"operator":\{"id":"(\w+)"/g)].map(([, id]) => id)
      expect(operators, path).to.not.include('olivia').and.not.include('oscar')
    }
    await close()
  })

  it('refuses an audit that has entries', async () => {
    const failure = await startFilled().catch((error: unknown) => error)
    expect(String(failure)).to.match(/--with-history fills an empty audit.*DATA_DIR/)
  })

  for (const [what, environment] of [
    ['an audit in memory', { STORAGE_URL: 'memory:' }],
    ['a database of somebody', { STORAGE_URL: 'postgres://joe@db.example/support' }],
    ['an audit elsewhere', { STORAGE_URL: 'redis://db', AUDIT_URL: 'sqlite:/srv/audit.sqlite' }],
    [
      'production',
      {
        ...OWN_SECRETS,
        NODE_ENV: 'production',
        BASE_URL: 'https://id.example.com',
        SHOP_URL: 'https://shop.example.com',
        JWKS_FILE: '/srv/keys.json',
        COOKIE_KEYS: 'a-cookie-key-of-our-own',
      },
    ],
  ] as const) {
    it(`refuses ${what}, before anything is opened`, () => {
      expect(() => startFilled(environment)).to.throw("the example's own audit alone")
    })
  }
})
