import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { JWK } from 'jose'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import type { Sign } from '../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { sealsOf } from '../ledger/sealing/seals-of.ts'
import { issued, put, started, used } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { providerAt, signingKey } from '../support/provider-at.ts'
import { runVerify } from './command.ts'
import { linesOfExport } from './history.ts'

describe('keys that are rotated as the guide says', function () {
  this.timeout(60_000)
  let folder: string
  let server: Server
  let issuer: string
  let answer: RequestListener
  let store: AuditStore
  let [old, next]: JWK[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-rotation-'))
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    ;[old, next] = [await signingKey('old'), await signingKey('new')]
    store = memoryAudit()
  })
  afterEach(async () => {
    server.close()
    server.closeAllConnections()
    await store.close()
    await rm(folder, { recursive: true })
  })

  async function file(name: string, content: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }

  /** The provider starts with these keys, records an impersonation, and seals it. */
  async function restart(name: string, ...keys: JWK[]): Promise<Sign> {
    const provider = await providerAt(issuer, keys)
    answer = provider.callback()
    const sign: Sign = (claims) => signCheckpoint(provider, claims)
    const time = Date.now()
    await put(store, issued(name, time), started(name, time), used(name, time))
    await (await sealsOf(store, { sign })).seals.seal()
    return sign
  }

  const exportFile = async (name: string, lines: readonly string[]) =>
    file(name, lines.map((line) => `${line}\n`).join(''))

  const publishedKeys = async () => (await fetch(`${issuer}/jwks`)).text()

  it('prove the same audit after each of the three restarts', async () => {
    const keys = [old, next] as [JWK, JWK]
    const live = ['--jwks', `${issuer}/jwks`]

    async function expectWhole(name: string, sign: Sign, ...sources: string[]) {
      const path = await exportFile(
        `${name}.jsonl`,
        await linesOfExport(store, { sign, now: Date.now() }),
      )
      const { code, out, err } = await runVerify(path, ...sources)
      expect(err, name).to.equal('')
      expect(code, name).to.equal(0)
      expect(out, name).to.contain(': whole.').and.not.to.contain('key set does not have')
    }

    await expectWhole('before', await restart('a', keys[0]), ...live)
    await expectWhole('1 publish', await restart('b', ...keys), ...live)
    const signing = await restart('c', keys[1], keys[0])
    await expectWhole('2 sign', signing, ...live)
    // The key that goes on is published now and stands in the file as well.
    const kept = await file('jwks.json', await publishedKeys())
    await expectWhole('2 sign, with the file', signing, ...live, '--jwks', kept)
    const removed = await restart('d', keys[1])
    await expectWhole('3 remove', removed, ...live, '--jwks', kept)
    await expectWhole('3 remove, the file twice', removed, '--jwks', kept, '--jwks', kept, ...live)

    const lines = await linesOfExport(store, { sign: removed, now: Date.now() })
    const index = lines.findIndex((line) => line.includes('impersonation.started'))
    const tampered = lines.with(index, (lines[index] ?? '').replace('alice', 'bobby'))
    const path = await exportFile('tampered.jsonl', tampered)
    const { code, err } = await runVerify(path, ...live, '--jwks', kept)
    expect(code).to.equal(1)
    expect(err).to.contain(`line ${index + 1}: its text is not the one that was recorded`)
  })

  it('that have one kid are all tried', async () => {
    const sign = await restart('a', old as JWK)
    const path = await exportFile('a.jsonl', await linesOfExport(store, { sign, now: Date.now() }))
    const name = await file('old.json', await publishedKeys())
    const clash = async (label: string) => {
      const other = { ...(await signingKey('old')), d: undefined }
      return file(label, JSON.stringify({ keys: [other] }))
    }
    const [one, two] = [await clash('one.json'), await clash('two.json')]
    for (const sources of [
      [name, one],
      [one, name, name, two],
    ]) {
      const { code, out, err } = await runVerify(
        path,
        ...sources.flatMap((each) => ['--jwks', each]),
      )
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(out).to.contain(': whole.')
    }
    const { code, err } = await runVerify(path, '--jwks', one, '--jwks', two)
    expect(code).to.equal(1)
    expect(err).to.contain('the seal is not valid: signature verification failed')
  })
})
