import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { listen, OWN_SECRETS, runMain, start, temporaryFolder } from './support.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  SHOP_URL: 'https://shop.example.com',
  JWKS_FILE: '/somewhere/jwks.json',
  COOKIE_KEYS: 'a-cookie-key-of-our-own',
  ...OWN_SECRETS,
}
type Setting = Record<string, string>

describe('settings of the example', () => {
  it('have a default each, also where a variable is empty', () => {
    const defaults = { port: 3000, shopPort: 3001, host: '127.0.0.1', production: false }
    for (const environment of [{}, { PORT: '', HOST: ' ', NODE_ENV: '' }]) {
      expect(readConfig(environment)).to.include(defaults)
    }
  })

  const wrong: [setting: Setting, wayOut: RegExp][] = [
    [{ PORT: 'http' }, /^PORT must be a number from 0 to 65535$/],
    [{ STRICT: 'yes' }, /^STRICT must be 0 or 1$/],
    [{ BASE_URL: 'https://example.com/id' }, /^BASE_URL must be an origin such as https:/],
    [{ COOKIE_KEYS: 'short' }, /^COOKIE_KEYS must be .* at least 16 characters/],
    [{ SMTP_URL: 'https://mail.example.com' }, /^SMTP_URL must be smtp:/],
    [{ NODE_ENV: 'prod' }, /^NODE_ENV must be development, production or test$/],
    [{ BASE_URL: 'http://10.0.0.1' }, /^BASE_URL: an https URL; http is for localhost alone$/m],
    [{ SHOP_URL: 'http://10.0.0.1' }, /^SHOP_URL: an https URL; http is for localhost alone$/m],
    [{ BASE_URL: 'https://example.com' }, /^DEMO_PASSWORD: a secret of your own; /m],
  ]
  for (const [setting, wayOut] of wrong) {
    it(`refuse ${Object.entries(setting)[0]?.join('=')}, with the way out`, () => {
      expect(() => readConfig(setting)).to.throw(StartError, wayOut)
    })
  }

  const notInProduction: [setting: Setting, wayOut: RegExp][] = [
    ...Object.keys(PRODUCTION)
      .filter((name) => name !== 'NODE_ENV')
      .map((name): [Setting, RegExp] => [{ [name]: '' }, new RegExp(`^  ${name}: `, 'm')]),
    [{ BASE_URL: 'http://id.example.com' }, /^ {2}BASE_URL: an https URL/m],
    [{ SHOP_URL: PRODUCTION.BASE_URL }, /^ {2}SHOP_URL: another origin than BASE_URL$/m],
    [{ COPILOT_SECRET: 'x'.repeat(64) }, /^ {2}COPILOT_SECRET: a random secret .* 16 characters/m],
    [{ SUPPORT_WEB_SECRET: 'demo-password' }, /^ {2}SUPPORT_WEB_SECRET: a secret of your own$/m],
    [
      { COPILOT_SECRET: OWN_SECRETS.SUPPORT_WEB_SECRET },
      /^ {2}COPILOT_SECRET: another secret than that of SUPPORT_WEB_SECRET$/m,
    ],
  ]
  for (const [setting, wayOut] of notInProduction) {
    it(`refuse ${Object.entries(setting)[0]?.join('=')} in production`, () => {
      expect(readConfig(PRODUCTION).production).to.equal(true)
      expect(() => readConfig({ ...PRODUCTION, ...setting })).to.throw(StartError, wayOut)
    })
  }

  it('that are wrong end the process with 1 and the way out, without a stack', async () => {
    const { code, stdout, stderr } = await runMain({ PORT: 'http', STRICT: 'yes' })
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.match(/^PORT must be .*\nSTRICT must be .*\n$/)
  }).timeout(60_000)

  it('say which port is taken, and that an address is of another machine', async () => {
    const taken = await listen(() => {})
    const { port: PORT } = new URL(taken.url)
    for (const environment of [{ PORT }, { HOST: '192.0.2.1' }]) {
      const error = await start(environment).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(StartError)
      expect(String(error)).to.match(/cannot be used \(E\w+\): set PORT to another port, or to 0/)
    }
    await taken.close()
  })

  it('name the file of keys that are of no use, and do not repeat it', async () => {
    await using folder = await temporaryFolder()
    const JWKS_FILE = join(folder.path, 'jwks.json')
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(privateKey)
    const useless = [
      '{"keys": [{"d": "a-private-key"',
      '{"keys": []}',
      JSON.stringify({ keys: [await exportJWK(publicKey)] }),
      JSON.stringify({ keys: [{ ...jwk, x: jwk.y }] }),
    ]
    for (const content of [undefined, ...useless]) {
      if (content) await writeFile(JWKS_FILE, content)
      const error = await start({ JWKS_FILE }).catch((error: unknown) => error)
      expect(error, content).to.be.instanceOf(StartError)
      expect(String(error)).to.include('JWKS_FILE').and.not.include('a-private-key')
    }
  })
})
