import { expect } from 'chai'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { freePort } from '../adapters/servers.ts'
import { MAIN, OWN_SECRETS, run, start } from './support.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  SHOP_URL: 'https://shop.example.com',
  JWKS_FILE: '/somewhere/jwks.json',
  COOKIE_KEYS: 'a-cookie-key-of-our-own',
  ...OWN_SECRETS,
}
const AUDIT_URL = 'postgres://audit/oidc'
type Settings = Record<string, string>

const REFUSED: readonly [settings: Settings, wayOut: RegExp][] = [
  [{ PORT: 'http' }, /^PORT must be a number from 0 to 65535$/],
  [{ STRICT: 'yes' }, /^STRICT must be 0 or 1$/],
  [{ NODE_ENV: 'prod' }, /^NODE_ENV must be development, production or test$/],
  [{ COOKIE_KEYS: 'short' }, /^COOKIE_KEYS must be .* at least 16 characters/],
  [{ BASE_URL: 'http://10.0.0.1' }, /^BASE_URL: an https URL; http is for localhost alone$/m],
  [{ BASE_URL: 'https://example.com' }, /^DEMO_PASSWORD: a secret of your own; /m],
  [{ STORAGE_URL: 'mysql://joe:hunter2@db' }, /^STORAGE_URL is not understood: it must be/],
  [{ STORAGE_URL: 'postgres://joe:12/hunter2@db/oidc' }, /percent-encoded \(@ is %40/],
  [{ STORAGE_URL: 'redis://db' }, /^Redis does not keep the audit: AUDIT_URL must be/],
  [{ STORAGE_URL: 'postgres://db/oidc', AUDIT_URL }, /^AUDIT_URL is for STORAGE_URL=redis:/],
  ...Object.keys(PRODUCTION)
    .filter((name) => name !== 'NODE_ENV')
    .map((name): [Settings, RegExp] => [
      { ...PRODUCTION, [name]: '' },
      new RegExp(`^  ${name}: `, 'm'),
    ]),
  [
    { ...PRODUCTION, SHOP_URL: PRODUCTION.BASE_URL },
    /^ {2}SHOP_URL: another origin than BASE_URL$/m,
  ],
  [
    { ...PRODUCTION, COPILOT_SECRET: OWN_SECRETS.SUPPORT_WEB_SECRET },
    /^ {2}COPILOT_SECRET: another secret than that of SUPPORT_WEB_SECRET$/m,
  ],
]

describe('the settings of the example', () => {
  it('have a default each, and say where everything is kept', () => {
    const kept = (settings: Settings) => {
      const { storage, audit } = readConfig(settings)
      return [storage.label, audit.label]
    }
    const defaults = { port: 3000, shopPort: 3001, host: '127.0.0.1', production: false }
    expect(readConfig({ PORT: '', HOST: ' ' })).to.include(defaults)
    expect(readConfig(PRODUCTION).production).to.equal(true)
    expect(kept({ DATA_DIR: '/d' })).to.deep.equal(Array(2).fill('SQLite, /d/provider.sqlite'))
    const redis = { STORAGE_URL: 'rediss://joe:pw@db:6380/1', AUDIT_URL }
    expect(kept(redis)).to.deep.equal(['rediss://db:6380', 'postgres://audit'])
  })

  it('are refused with the way out, and without a password', () => {
    for (const [settings, wayOut] of REFUSED) {
      expect(() => readConfig(settings), String(wayOut))
        .to.throw(StartError, wayOut)
        .with.property('message')
        .that.does.not.include('hunter2')
    }
  })

  it('that are wrong end the process with 1 and the way out, without a stack', async () => {
    const { code, stdout, stderr } = await run(MAIN, { PORT: 'http', STRICT: 'yes' })
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.match(/^PORT must be .*\nSTRICT must be .*\n$/)
  })

  it('say that a storage cannot be used, without its password', async () => {
    const STORAGE_URL = `postgres://joe:hunter2@127.0.0.1:${await freePort()}/0`
    const error = await start({ STORAGE_URL }).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.match(/: STORAGE_URL: .* cannot be used: .*ECONNREFUSED/)
    expect(String(error)).to.not.include('hunter2')
  })
})
