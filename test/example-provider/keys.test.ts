import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { type Config, readConfig } from '../../example-provider/config.ts'
import { loadKeys } from '../../example-provider/keys.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { launch, MAIN, run, send, temporaryFolder } from './support.ts'

function configFor(dataDir: string, more: Record<string, string> = {}): Config {
  return readConfig({ DATA_DIR: dataDir, STORAGE_URL: 'memory:', ...more })
}

async function refusal(config: Config): Promise<string> {
  try {
    await loadKeys(config)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

describe('example provider: keys', () => {
  it('are made at the first start and kept', async () => {
    await using folder = await temporaryFolder()
    const config = configFor(join(folder.path, 'new', 'data'))
    const first = await loadKeys(config)
    expect(first.signing[0]).to.include({ kty: 'EC', crv: 'P-256', alg: 'ES256' })
    expect(first.cookies[0]).to.have.length.of.at.least(32)
    expect(await loadKeys(config)).to.deep.equal(first)
  })

  it('are readable by their owner alone, whatever the umask', async () => {
    await using folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const umask = process.umask(0)
    try {
      await loadKeys(configFor(dataDir))
    } finally {
      process.umask(umask)
    }
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700)
    const files = await readdir(dataDir)
    expect(files).to.have.members(['signing-keys.json', 'cookie-keys.json'])
    for (const file of files) {
      expect((await stat(join(dataDir, file))).mode & 0o777, file).to.equal(0o600)
    }
  })

  it('are the same for copies that start at once', async () => {
    await using folder = await temporaryFolder()
    const config = configFor(folder.path)
    const all = await Promise.all(Array.from({ length: 20 }, () => loadKeys(config)))
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).to.equal(1)
    expect(await readdir(folder.path)).to.have.lengthOf(2)
  })

  it('are the same for processes that start at once', async () => {
    await using folder = await temporaryFolder()
    const environment = { DATA_DIR: folder.path, STORAGE_URL: 'memory:' }
    const copies = await Promise.all([launch(environment), launch(environment)])
    const sets = await Promise.all(copies.map(({ url }) => send(`${url}/oidc/jwks`)))
    await Promise.all(copies.map((copy) => copy[Symbol.asyncDispose]()))
    expect(new Set(sets.map(({ text }) => text)).size).to.equal(1)
  }).timeout(120_000)

  it('come from JWKS_FILE and COOKIE_KEYS where given, and nothing is written', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'jwks.json')
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(privateKey)
    await writeFile(file, JSON.stringify({ keys: [jwk] }))
    const dataDir = join(folder.path, 'data')
    const keys = await loadKeys(
      configFor(dataDir, {
        JWKS_FILE: file,
        COOKIE_KEYS: 'the-newer-cookie-key, the-older-cookie-key',
      }),
    )
    expect(keys.signing).to.deep.equal([jwk])
    expect(keys.cookies).to.deep.equal(['the-newer-cookie-key', 'the-older-cookie-key'])
    expect(await readdir(folder.path)).to.deep.equal(['jwks.json'])
  })

  it('are refused, naming JWKS_FILE, when they are missing or of no use', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'jwks.json')
    const config = configFor(folder.path, { JWKS_FILE: file })
    expect(await refusal(config)).to.match(/JWKS_FILE.*ENOENT/)

    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const other = await generateKeyPair('ES384', { extractable: true })
    const jwk = await exportJWK(privateKey)
    const useless = [
      'no JSON',
      '[]',
      '{"keys": []}',
      '{"keys": [null]}',
      JSON.stringify({ keys: [await exportJWK(publicKey)] }),
      JSON.stringify({ keys: [await exportJWK(other.privateKey)] }),
      JSON.stringify({ keys: [{ ...jwk, d: 'AAAA' }] }),
      JSON.stringify({ keys: [{ ...jwk, x: jwk.y }] }),
      JSON.stringify({ keys: [{ ...jwk, use: 'enc' }] }),
    ]
    for (const content of useless) {
      await writeFile(file, content)
      expect(await refusal(config), content).to.include('JWKS_FILE')
    }
  })

  it('never appear in a message', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'signing-keys.json'), '{"keys": [{"d": "a-private-key"')
    const { code, stderr } = await run(MAIN, {
      PORT: '0',
      DATA_DIR: folder.path,
      STORAGE_URL: 'memory:',
    })
    expect(code).to.equal(1)
    expect(stderr).to.include('signing-keys.json').and.not.include('a-private-key')
  })

  it('cannot be made in a folder that is a file: a message that names DATA_DIR', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'data')
    await writeFile(path, '')
    expect(await refusal(configFor(path)))
      .to.include('DATA_DIR')
      .and.include(path)
  })

  it('leave the permissions of a folder alone that was there before', async () => {
    await using folder = await temporaryFolder()
    await chmod(folder.path, 0o755)
    await loadKeys(configFor(folder.path))
    expect((await stat(folder.path)).mode & 0o777).to.equal(0o755)
    expect(await readFile(join(folder.path, 'cookie-keys.json'), 'utf8')).to.match(
      /^\["[\w-]{43}"\]$/,
    )
  })
})
