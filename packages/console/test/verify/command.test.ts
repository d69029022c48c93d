import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import { exportCsv } from '../../src/ledger/keeping/export.ts'
import type { Sign } from '../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { idOf } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { providerAt } from '../support/provider-at.ts'
import { runVerify, runVerifyProcess } from './command.ts'
import { history, KEEP_FOR, linesOfExport, linesOfProof } from './history.ts'

describe('the command verify', function () {
  this.timeout(30_000)
  let folder: string
  let server: Server
  let issuer: string
  let lines: string[]
  let store: AuditStore
  let elsewhere: string
  let sign: Sign

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-command-'))
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const provider = await providerAt(issuer)
    server.on('request', provider.callback())
    sign = (claims) => signCheckpoint(provider, claims)
    store = memoryAudit({ keepFor: KEEP_FOR })
    await history(store, sign)
    lines = await linesOfExport(store, { sign })
    elsewhere = (await store.seals(1)).join()
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true })
  })

  async function file(name: string, content: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }

  const exportFile = (name = 'entries.jsonl', content = lines) =>
    file(name, content.map((line) => `${line}\n`).join(''))

  it('says that an export is whole, by the keys that the provider publishes', async () => {
    const path = await exportFile()
    const { code, out, err } = await runVerifyProcess(path, '--jwks', `${issuer}/jwks`)
    expect(err).to.equal('')
    expect(code).to.equal(0)
    expect(out).to.contain(`${path}: whole.\n54 entries; 21 of them were removed`)
    expect(out).to.contain('5 impersonations and refused requests, each the sum of its entries.')
    expect(out).to.contain('2 permits, each the sum of its entries.')
    expect(out).to.contain(`4 seals, signed by ${issuer}; the last one is of 2026-02-20`)
    expect(out).to.contain('A seal that was kept elsewhere (--seal) proves that')
    expect(out).not.to.contain('Not proved')
  })

  it('takes keys and seals from files, and an earlier export for seals', async () => {
    const keys = await (await fetch(`${issuer}/jwks`)).text()
    const args = [await exportFile(), '--jwks', await file('jwks.json', keys)]
    const kept = ['--seal', await file('kept.jws', elsewhere)]
    const earlier = ['--seal', await exportFile('earlier.jsonl')]
    const { code, out } = await runVerify(...args, '--issuer', issuer, ...kept, ...earlier)
    expect(code).to.equal(0)
    expect(out).not.to.contain('kept elsewhere')
  })

  /** With a text that nobody recorded. */
  const tampered = (is: (line: string) => boolean, from: string, to: string) => {
    const index = lines.findIndex(is)
    return { index, changed: lines.with(index, (lines[index] ?? '').replace(from, to)) }
  }

  it('names number and line of the first broken entry, and ends with 1', async () => {
    const isStart = (line: string) => line.includes('impersonation.started')
    const { index, changed } = tampered(isStart, 'alice', 'bobby')
    const path = await exportFile('tampered.jsonl', changed)
    const { number } = JSON.parse(lines[index] ?? '')
    expect(await runVerifyProcess(path, '--jwks', `${issuer}/jwks`)).to.deep.equal({
      code: 1,
      out: '',
      err: `${path}: broken.\nentry ${number}, line ${index + 1}: its text is not the one that was recorded\n`,
    })
  })

  it('prints the entries of one impersonation, and ends with 2 where there is none', async () => {
    const path = await exportFile()
    const args = [path, '--jwks', `${issuer}/jwks`, '--impersonation']
    const { code, out } = await runVerify(...args, idOf('d'))
    expect(code).to.equal(0)
    expect(out).to.contain(`${path}: whole.`)
    expect(out).to.contain('UTC  GET "/orders": answered 200.\n')
    expect(out).to.contain(`5 entries, sealed, signed by ${issuer}.`)
    const unknown = await runVerify(...args, idOf('unknown'))
    expect(unknown).to.include({ code: 2, out: '' })
    expect(unknown.err).to.contain(`no entry is of the impersonation ${idOf('unknown')}`)
    // An id may begin with a hyphen.
    const hyphen = await runVerify(...args.slice(0, -1), '--impersonation=-b')
    expect(hyphen.err).to.contain('no entry is of the impersonation -b')

    const proof = await exportFile('d.jsonl', await linesOfProof(store, idOf('d'), { sign }))
    const proved = await runVerify(proof, '--jwks', `${issuer}/jwks`, args[3] ?? '', idOf('d'))
    expect(proved.out).to.contain(`${proof}: whole.`).and.to.contain('answered 200.')
    const other = await runVerify(proof, '--jwks', `${issuer}/jwks`, args[3] ?? '', idOf('e'))
    expect(other).to.include({ code: 2, out: '' })
    expect(other.err).to.contain(`this export proves the impersonation ${idOf('d')}`)
  })

  it('refuses a seal of another issuer with 1', async () => {
    const args = [await exportFile(), '--jwks', `${issuer}/jwks`]
    const { code, err } = await runVerify(...args, '--issuer', 'https://other.example')
    expect(code).to.equal(1)
    expect(err).to.contain(`the seal is of another issuer: ${issuer}`)
  })

  it('shows nothing of a file that a terminal would obey', async () => {
    const id = '\u001b]0;title\u0007\u202e\n'
    const forged = lines.toSpliced(-1, 0, asciiJson({ impersonation: { id } }))
    const path = await exportFile('forged.jsonl', forged)
    const { code, err } = await runVerify(path, '--jwks', `${issuer}/jwks`)
    expect(code).to.equal(1)
    expect(err).to.contain('\\u001b]0;title\\u0007\\u202e\\u000a')
    for (const obeyed of ['\u001b', '\u0007', '\u202e']) expect(err).not.to.contain(obeyed)
  })

  it('ends with 2 where it is called in a wrong way, or cannot verify', async () => {
    const path = await exportFile()
    const keys = `${issuer}/jwks`
    const wrong: [args: string[], told: string][] = [
      [[], 'name one file with entries'],
      [['--jwks', keys], 'name one file'],
      [[path, path, '--jwks', keys], 'name one file'],
      [[path], '--jwks is missing'],
      [[path, '--jwks', keys, '--force'], "Unknown option '--force'"],
      [[join(folder, 'none'), '--jwks', keys], 'ENOENT'],
      [[path, '--jwks', join(folder, 'none')], 'ENOENT'],
      [[path, '--jwks', `${issuer}/none`], 'answered 404'],
      [[path, '--jwks', await file('no-keys.json', '{}')], 'has no key set'],
      [[path, '--jwks', await file('no-json', 'x')], 'JSON'],
      [[path, '--jwks', keys, '--seal', await file('empty', '')], 'no seal'],
    ]
    for (const [args, told] of wrong) {
      const { code, out, err } = await runVerify(...args)
      expect(err, told).to.contain(told)
      expect({ code, out }, told).to.deep.equal({ code: 2, out: '' })
    }
  })

  it('ends with 2 for an export of what is filtered, which cannot be verified', async () => {
    let content = ''
    for await (const part of exportCsv(store, { filter: {}, now: Date.now() })) content += part
    const path = await file('rows.csv', content)
    const { code, out, err } = await runVerify(path, '--jwks', `${issuer}/jwks`)
    expect(err).to.contain('this is not the export for verification')
    expect({ code, out }).to.deep.equal({ code: 2, out: '' })
  })

  it('says of a file that was cut what docs/audit.md has', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/audit.md'), 'utf8')
    const whole = lines.map((line) => `${line}\n`).join('')
    for (const cut of [whole.slice(0, -9), whole.slice(0, -(lines.at(-1) ?? '').length - 1)]) {
      const path = await file('cut.jsonl', cut)
      const { code, err } = await runVerify(path, '--jwks', `${issuer}/jwks`)
      expect(code).to.equal(1)
      const [, said = ''] = err.replace(/line \d+: /, '').split(': broken.\n')
      expect(page).to.contain(said.trim())
      expect(said).to.contain('cut off')
    }
  })

  it('says what it cannot find in the same words as docs/audit.md', async () => {
    const { out } = await runVerify('--help')
    const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
    const [, remains = ''] = /What no verification can find: (.*)/.exec(onOneLine(out)) ?? []
    expect(remains).to.have.length.greaterThan(200)
    const text = await readFile(join(import.meta.dirname, '../../../../docs/audit.md'), 'utf8')
    expect(onOneLine(text)).to.contain(remains.trim())
  })

  it('tells how it is called', async () => {
    const { code, out } = await runVerify('--help')
    expect(code).to.equal(0)
    for (const told of [
      'verify <entries.jsonl>',
      '--jwks',
      '--issuer',
      '--seal',
      '--impersonation',
    ]) {
      expect(out).to.contain(told)
    }
  })
})
