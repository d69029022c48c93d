import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../hosting/start-error.ts'
import { DEMO, launch, listen, MAIN, OWN_SECRETS, run, temporaryFolder } from './support.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  SHOP_URL: 'https://shop.example.com',
  JWKS_FILE: '/somewhere/jwks.json',
  COOKIE_KEYS: 'a-cookie-key-of-our-own',
  ...OWN_SECRETS,
}

describe('example provider: configuration', () => {
  it('has a default for everything', () => {
    const config = readConfig({})
    expect(config).to.include({ port: 3000, host: '127.0.0.1', baseUrl: undefined })
    expect(config.dataDir).to.match(/example-provider\/data$/)
    expect(config.production).to.equal(false)
  })

  it('gives the shop the next port, or a free one after the last', () => {
    expect(readConfig({ PORT: '4000' }).shopPort).to.equal(4001)
    for (const PORT of ['0', '65535']) expect(readConfig({ PORT }).shopPort).to.equal(0)
  })

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).to.equal(true)
  })

  it('counts an empty variable as absent', () => {
    expect(readConfig({ PORT: '', BASE_URL: ' ' })).to.include({ port: 3000, baseUrl: undefined })
  })

  it('takes a base URL with or without the slash at its end', () => {
    for (const BASE_URL of ['https://id.example.com', 'https://id.example.com/']) {
      expect(readConfig({ ...OWN_SECRETS, BASE_URL }).baseUrl).to.equal('https://id.example.com')
    }
  })

  const wrong: [name: string, value: string][] = [
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['STRICT', 'yes'],
    ['STRICT', '2'],
    ['LIMIT_PER_MINUTE', '0'],
    ['LIMIT_PER_MINUTE', '1e3'],
    ['BASE_URL', 'localhost:3000'],
    ['BASE_URL', 'ftp://example.com'],
    ['BASE_URL', 'https://example.com/id'],
    ['BASE_URL', 'https://user@example.com'],
    ['BASE_URL', 'https://example.com/?a'],
    ['STORAGE_URL', 'mysql://localhost'],
    ['STORAGE_URL', 'nonsense'],
    ['AUDIT_URL', 'postgres://localhost/oidc'],
    ['COOKIE_KEYS', 'short'],
    ['COOKIE_KEYS', 'long-enough-to-be-a-key,'],
  ]
  for (const [name, value] of wrong) {
    it(`refuses ${name}=${value}, naming the variable`, () => {
      expect(() => readConfig({ [name]: value })).to.throw(StartError, name)
    })
  }

  it('never repeats the password of a storage URL', () => {
    for (const STORAGE_URL of ['mysql://joe:hunter2@db', 'redis://joe:hunter2@:bad:']) {
      expect(() => readConfig({ STORAGE_URL }))
        .to.throw(StartError)
        .with.property('message')
        .that.does.not.include('hunter2')
    }
  })

  it('starts in production when everything has been set', () => {
    expect(readConfig(PRODUCTION).production).to.equal(true)
  })

  for (const name of Object.keys(PRODUCTION).filter((name) => name !== 'NODE_ENV')) {
    it(`does not start in production without ${name}`, () => {
      expect(() => readConfig({ ...PRODUCTION, [name]: '' })).to.throw(StartError, name)
    })
  }

  const SECRETS = [
    'COOKIE_KEYS',
    'SUPPORT_BACKEND_SECRET',
    'SUPPORT_WEB_SECRET',
    'COPILOT_SECRET',
    'DEMO_PASSWORD',
  ]
  for (const name of SECRETS) {
    it(`does not start in production on a ${name} that can be guessed, and does not repeat it`, () => {
      for (const value of ['x', '0123456789abcde', 'x'.repeat(64), 'abababababababababab']) {
        expect(() => readConfig({ ...PRODUCTION, [name]: value }), value)
          .to.throw(StartError, new RegExp(`\\b${name}\\b.* 16 characters`))
          .with.property('message')
          .that.does.not.include(`'${value}'`)
      }
    })
  }

  it('does not start in production with one secret for two things', () => {
    for (const [index, name] of SECRETS.entries()) {
      for (const other of SECRETS.slice(0, index)) {
        const same = { [name]: 'one-secret-for-everything', [other]: 'one-secret-for-everything' }
        const told = new RegExp(`  ${name}: another secret than that of ${other}`)
        expect(() => readConfig({ ...PRODUCTION, ...same })).to.throw(StartError, told)
      }
    }
    const COOKIE_KEYS = 'a-cookie-key-of-our-own,a-cookie-key-of-our-own'
    expect(() => readConfig({ ...PRODUCTION, COOKIE_KEYS })).to.throw(StartError, 'COOKIE_KEYS')
  })

  it('does not start in production on plain http, but for a name of this machine', () => {
    for (const BASE_URL of ['http://id.example.com', 'http://10.0.0.1', 'http://localhost.evil']) {
      expect(() => readConfig({ ...PRODUCTION, BASE_URL })).to.throw(
        StartError,
        /BASE_URL: .*https/,
      )
    }
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:80']) {
      expect(readConfig({ ...PRODUCTION, BASE_URL: `http://${host}` }).production).to.equal(true)
    }
  })

  it('does not start on plain http anywhere else than on this machine', () => {
    for (const name of ['BASE_URL', 'SHOP_URL']) {
      const start = () => readConfig({ [name]: 'http://id.example.com' })
      expect(start, name).to.throw(StartError, `${name}: an https URL; http is for localhost alone`)
      expect(() => readConfig({ [name]: 'http://127.0.0.1:3000' }), name).to.not.throw()
    }
  })

  it('does not start with a public secret anywhere else than on this machine', () => {
    const BASE_URL = 'https://id.example.com'
    for (const name of Object.keys(OWN_SECRETS)) {
      const start = () => readConfig({ ...OWN_SECRETS, BASE_URL, [name]: '' })
      expect(start, name).to.throw(StartError, `${name}: a secret of your own; the demo secrets`)
      const local = { BASE_URL: 'https://localhost', [name]: '' }
      expect(() => readConfig({ ...OWN_SECRETS, ...local }), name).to.not.throw()
    }
    expect(readConfig({ ...OWN_SECRETS, BASE_URL }).baseUrl).to.equal(BASE_URL)
  })

  it('does not start in production with a shop on plain http or on the origin of the provider', () => {
    for (const SHOP_URL of ['http://shop.example.com', PRODUCTION.BASE_URL]) {
      expect(() => readConfig({ ...PRODUCTION, SHOP_URL })).to.throw(StartError, /SHOP_URL: /)
    }
    for (const SHOP_URL of ['https://shop.example.com', 'http://127.0.0.1:3001']) {
      expect(readConfig({ ...PRODUCTION, SHOP_URL }).shopUrl).to.equal(SHOP_URL)
    }
  })

  for (const NODE_ENV of ['prod', 'Production', 'PRODUCTION', 'staging', 'production;']) {
    it(`does not take NODE_ENV=${NODE_ENV} for a demonstration: it does not start`, () => {
      expect(() => readConfig({ NODE_ENV })).to.throw(StartError, 'NODE_ENV')
      expect(() => readConfig({ ...PRODUCTION, NODE_ENV })).to.throw(StartError, 'NODE_ENV')
    })
  }

  it('takes development and test for what they are', () => {
    for (const NODE_ENV of ['', 'development', 'test']) {
      expect(readConfig({ NODE_ENV }).production).to.equal(false)
    }
  })

  it('knows a demo secret in production wherever it stands', () => {
    const swapped = { ...PRODUCTION, SUPPORT_WEB_SECRET: 'support-backend-secret' }
    expect(() => readConfig(swapped)).to.throw(StartError, 'SUPPORT_WEB_SECRET')
  })
})

describe('example provider: main', function () {
  this.timeout(120_000)

  it('prints every variable with --help', async () => {
    const { code, stdout } = await run(MAIN, {}, '--help')
    expect(code).to.equal(0)
    for (const name of [...Object.keys(PRODUCTION), 'PORT', 'HOST', 'BASE_URL', 'DATA_DIR']) {
      expect(stdout).to.include(name)
    }
    expect(stdout).to.include('STORAGE_URL').and.include('AUDIT_URL')
  })

  it('refuses an argument that it does not know', async () => {
    const { code, stderr } = await run(MAIN, {}, '--prot')
    expect(code).to.equal(1)
    expect(stderr.trim().split('\n')).to.have.lengthOf(1)
    expect(stderr).to.include('--prot')
  })

  it('ends with 1 and one line, no stack trace, on a bad value', async () => {
    const { code, stderr } = await run(MAIN, { PORT: 'http' })
    expect(code).to.equal(1)
    expect(stderr).to.match(/^PORT must be .*\n$/)
  })

  it('names every variable that production still lacks', async () => {
    const { code, stdout, stderr } = await run(MAIN, { NODE_ENV: 'production' })
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    for (const name of Object.keys(PRODUCTION).filter((name) => name !== 'NODE_ENV')) {
      expect(stderr).to.include(`  ${name}: `)
    }
    expect(stderr).not.to.match(/^ +at /m)
  })

  it('runs in production on keys and secrets of its own, and prints none of them', async () => {
    await using folder = await temporaryFolder()
    const JWKS_FILE = join(folder.path, 'jwks.json')
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    await writeFile(JWKS_FILE, JSON.stringify({ keys: [await exportJWK(privateKey)] }))
    await using running = await launch({
      ...PRODUCTION,
      JWKS_FILE,
      DATA_DIR: folder.path,
      STORAGE_URL: 'memory:',
    })
    const { NODE_ENV: _, BASE_URL: __, SHOP_URL: ___, ...secrets } = PRODUCTION
    for (const secret of Object.values(secrets)) {
      expect(running.printed()).not.to.include(secret)
    }
    expect(running.printed()).not.to.include('curl')
  })

  it('prints nothing but the banner and what happened: no notice of oidc-provider', async () => {
    await using folder = await temporaryFolder()
    await using running = await launch({ DATA_DIR: folder.path })
    expect((await run(DEMO, {}, '--url', running.url)).code).to.equal(0)
    running.child.kill('SIGINT')
    const { stdout, stderr } = await running.ended
    expect(stderr).to.equal('')
    expect(stdout).to.match(/^The example provider is running/)
    expect(stdout).not.to.match(/NOTICE|WARNING/)
    const [, afterwards = ''] = stdout.split('Ctrl-C ends it.\n')
    const others = afterwards
      .split('\n')
      .filter((line) => !/^(?:\{"event":.*\}|alarm: .*)?$/.test(line))
    expect(others).to.deep.equal(['Finishing what is in flight; Ctrl-C once more ends at once.'])
  })

  it('prints no secret that is not a demo secret', async () => {
    await using folder = await temporaryFolder()
    const { NODE_ENV: _, BASE_URL: __, SHOP_URL: ___, JWKS_FILE: ____, ...secrets } = PRODUCTION
    const environment = { ...secrets, DATA_DIR: folder.path, STORAGE_URL: 'memory:' }
    await using running = await launch(environment, '--commands')
    for (const secret of Object.values(secrets)) {
      expect(running.printed()).not.to.include(secret)
    }
    expect(running.printed()).to.include('support-backend:"$SUPPORT_BACKEND_SECRET"')
    expect(running.printed()).to.include('password="$DEMO_PASSWORD"')
  })

  it('says so when the port is taken', async () => {
    await using folder = await temporaryFolder()
    const taken = await listen(() => {})
    const { port: PORT } = new URL(taken.url)
    const { code, stderr } = await run(MAIN, {
      PORT,
      DATA_DIR: folder.path,
      STORAGE_URL: 'memory:',
    })
    await taken.close()
    expect(code).to.equal(1)
    expect(stderr).to.match(new RegExp(`^PORT ${PORT} is in use.*\n$`))
  })

  it('says so when HOST is not of this machine', async () => {
    await using folder = await temporaryFolder()
    const environment = {
      HOST: '192.0.2.1',
      PORT: '0',
      DATA_DIR: folder.path,
      STORAGE_URL: 'memory:',
    }
    const { code, stderr } = await run(MAIN, environment)
    expect(code).to.equal(1)
    expect(stderr).to.match(/^HOST '192\.0\.2\.1' .*\n$/)
  })
})
