import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import { exportCsv } from '../../src/ledger/keeping/export.ts'
import type { Sign } from '../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { idOf } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { runVerify, runVerifyProcess, startProvider } from './command.ts'
import { history, KEEP_FOR, linesOfExport, linesOfProof } from './history.ts'

const GUIDE = join(import.meta.dirname, '../../../../docs/audit.md')

describe('the command verify', () => {
  let at: Awaited<ReturnType<typeof startProvider>>
  let lines: string[]
  let store: AuditStore
  let elsewhere: string
  let sign: Sign

  before(async () => {
    at = await startProvider()
    sign = await at.restart()
    store = memoryAudit({ keepFor: KEEP_FOR })
    await history(store, sign)
    lines = await linesOfExport(store, { sign })
    elsewhere = (await store.seals(1)).join()
  })
  after(() => at.stop())

  const exportFile = (name = 'entries.jsonl', content = lines) => at.exportFile(name, content)

  it('says that an export is whole, by the keys that the provider publishes', async () => {
    const path = await exportFile()
    const { code, out, err } = await runVerifyProcess(path, '--jwks', at.jwks)
    expect(err).to.equal('')
    expect(code).to.equal(0)
    expect(out).to.contain(`${path}: whole.\n54 entries; 21 of them were removed`)
    expect(out).to.contain('5 impersonations and refused requests, each the sum of its entries.')
    expect(out).to.contain('2 permits, each the sum of its entries.')
    expect(out).to.contain(`4 seals, signed by ${at.issuer}; the last one is of 2026-02-20`)
    expect(out).to.contain('A seal that was kept elsewhere (--seal) proves that')
    expect(out).not.to.contain('Not proved')
  })

  it('takes keys and seals from files, and an earlier export for seals', async () => {
    const keys = await at.publishedKeys()
    const args = [await exportFile(), '--jwks', await at.file('jwks.json', keys)]
    const kept = ['--seal', await at.file('kept.jws', elsewhere)]
    const earlier = ['--seal', await exportFile('earlier.jsonl')]
    const { code, out } = await runVerify(...args, '--issuer', at.issuer, ...kept, ...earlier)
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
    const { entry } = JSON.parse(lines[index] ?? '')
    expect(await runVerifyProcess(path, '--jwks', at.jwks)).to.deep.equal({
      code: 1,
      out: '',
      err: `${path}: broken.\nentry ${entry.number}, line ${index + 1}: its text is not the one that was recorded\n`,
    })
  })

  it('prints the entries of one impersonation, and ends with 2 where there is none', async () => {
    const path = await exportFile()
    const args = [path, '--jwks', at.jwks, '--impersonation']
    const { code, out } = await runVerify(...args, idOf('d'))
    expect(code).to.equal(0)
    expect(out).to.contain(`${path}: whole.`)
    expect(out).to.contain('UTC  GET "/orders": answered 200.\n')
    expect(out).to.contain(`5 entries, sealed, signed by ${at.issuer}.`)
    const unknown = await runVerify(...args, idOf('unknown'))
    expect(unknown).to.include({ code: 2, out: '' })
    expect(unknown.err).to.contain(`no entry is of the impersonation ${idOf('unknown')}`)
    // An id may begin with a hyphen.
    const hyphen = await runVerify(...args.slice(0, -1), '--impersonation=-b')
    expect(hyphen.err).to.contain('no entry is of the impersonation -b')

    const proof = await exportFile('d.jsonl', await linesOfProof(store, idOf('d'), { sign }))
    const proved = await runVerify(proof, '--jwks', at.jwks, args[3] ?? '', idOf('d'))
    expect(proved.out).to.contain(`${proof}: whole.`).and.to.contain('answered 200.')
    const other = await runVerify(proof, '--jwks', at.jwks, args[3] ?? '', idOf('e'))
    expect(other).to.include({ code: 2, out: '' })
    expect(other.err).to.contain(`this export proves the impersonation ${idOf('d')}`)
  })

  it('refuses a seal of another issuer with 1', async () => {
    const args = [await exportFile(), '--jwks', at.jwks]
    const { code, err } = await runVerify(...args, '--issuer', 'https://other.example')
    expect(code).to.equal(1)
    expect(err).to.contain(`the seal is of another issuer: ${at.issuer}`)
  })

  it('shows nothing of a file that a terminal would obey', async () => {
    const id = '\u001b]0;title\u0007\u202e\n'
    const forged = lines.toSpliced(-1, 0, asciiJson({ impersonation: { id } }))
    const path = await exportFile('forged.jsonl', forged)
    const { code, err } = await runVerify(path, '--jwks', at.jwks)
    expect(code).to.equal(1)
    expect(err).to.contain('\\u001b]0;title\\u0007\\u202e\\u000a')
    for (const obeyed of ['\u001b', '\u0007', '\u202e']) expect(err).not.to.contain(obeyed)
  })

  it('ends with 2 where it is called in a wrong way, or cannot verify', async () => {
    const path = await exportFile()
    const keys = at.jwks
    const wrong: [args: string[], told: string][] = [
      [[], 'name one file with entries'],
      [['--jwks', keys], 'name one file'],
      [[path, path, '--jwks', keys], 'name one file'],
      [[path], '--jwks is missing'],
      [[path, '--jwks', keys, '--force'], "Unknown option '--force'"],
      [[join(at.folder, 'none'), '--jwks', keys], 'ENOENT'],
      [[path, '--jwks', join(at.folder, 'none')], 'ENOENT'],
      [[path, '--jwks', `${at.issuer}/none`], 'answered 404'],
      [[path, '--jwks', await at.file('no-keys.json', '{}')], 'has no key set'],
      [[path, '--jwks', await at.file('no-json', 'x')], 'JSON'],
      [[path, '--jwks', keys, '--seal', await at.file('empty', '')], 'no seal'],
    ]
    for (const [args, told] of wrong) {
      const { code, out, err } = await runVerify(...args)
      expect(err, told).to.contain(told)
      expect({ code, out }, told).to.deep.equal({ code: 2, out: '' })
    }
  })

  it('ends with 2 for an export of what is filtered, which cannot be verified', async () => {
    const content = await text(exportCsv(store, { filter: {}, now: Date.now() }))
    const path = await at.file('rows.csv', content)
    const { code, out, err } = await runVerify(path, '--jwks', at.jwks)
    expect(err).to.contain('this is not the export for verification')
    expect({ code, out }).to.deep.equal({ code: 2, out: '' })
  })

  it('says of a file that was cut what docs/audit.md has', async () => {
    const page = await readFile(GUIDE, 'utf8')
    const whole = lines.map((line) => `${line}\n`).join('')
    for (const cut of [whole.slice(0, -9), whole.slice(0, -(lines.at(-1) ?? '').length - 1)]) {
      const path = await at.file('cut.jsonl', cut)
      const { code, err } = await runVerify(path, '--jwks', at.jwks)
      expect(code).to.equal(1)
      const [, said = ''] = err.replace(/line \d+: /, '').split(': broken.\n')
      expect(page).to.contain(said.trim())
      expect(said).to.contain('cut off')
    }
  })

  it('says how it is called, and what it cannot find in the same words as docs/audit.md', async () => {
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
    const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
    const [, remains = ''] = /What no verification can find: (.*)/.exec(onOneLine(out)) ?? []
    expect(remains).to.have.length.greaterThan(200)
    expect(onOneLine(await readFile(GUIDE, 'utf8'))).to.contain(remains.trim())
  })
})
