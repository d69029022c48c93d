import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt } from 'jose'
import { digestOf } from '../../src/audit/chain.ts'
import { createSqliteAudit } from '../../src/audit/sqlite.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { Broken } from '../../src/verify/broken.ts'
import { type Verification, type VerificationInput, verify } from '../../src/verify/verification.ts'
import { idOf, issued, put } from '../audit/contract/support.ts'
import {
  changed,
  DAY,
  END,
  type ExportedEntry,
  history,
  ISSUER,
  isCheckpoint,
  KEEP_FOR,
  linesOfExport,
  rechain,
  signer,
} from './history.ts'

const provider = await signer()

type Options = Partial<Omit<VerificationInput, 'read'>>

function verified(lines: readonly string[], options: Options = {}): Promise<Verification> {
  const keys = createLocalJWKSet({ keys: [provider.jwk] })
  async function* read() {
    for (const line of lines) yield `${line}\n`
  }
  return verify({ read, keys, ...options })
}

/** What is said to be broken, as the command prints it. */
async function broken(lines: readonly string[], options: Options = {}) {
  const error = await verified(lines, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof Broken)) throw new Error(`nothing was found to be broken: ${error}`)
  return { told: error.message, ...error.place }
}

/** The place of the entry in the file: the n-th whose text is there, or is not. */
const nth = (entries: readonly ExportedEntry[], n: number, has: 'no text' | 'text' = 'text') =>
  entries.flatMap((entry, index) => ((entry.text === undefined) === (has === 'text') ? [] : index))[
    n
  ] ?? expect.fail()

describe('verify', () => {
  let folder: string
  let store: AuditStore
  /** An export of day 50, and the entries in it. */
  let lines: string[]
  let entries: ExportedEntry[]
  /** A checkpoint of day 49, kept elsewhere. */
  let elsewhere: { jws: string; name: string }[]

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-verify-'))
    store = createSqliteAudit({ file: join(folder, 'audit.db'), keepFor: KEEP_FOR })
    await store.open()
    await history(store, provider.sign)
    elsewhere = (await store.checkpoints(1)).map((jws) => ({ jws, name: 'elsewhere' }))
    lines = await linesOfExport(store, provider.sign)
    entries = lines.filter((line) => !isCheckpoint(line)).map((line) => JSON.parse(line))
  })
  after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })

  /** The place of an entry in the file, and what is said of it. */
  function at(index: number, told: string) {
    const { writer, sequence } = entries[index] ?? expect.fail()
    return { writer, sequence, line: index + 1, told }
  }

  it('finds nothing in an export as it was made', async () => {
    expect(await verified(lines)).to.deep.equal({
      ...{ entries: 49, removed: 19, chains: 7, checkpoints: 4, unknown: 0 },
      ...{ issuer: ISSUER, time: END },
    })
    await verified(lines, { issuer: ISSUER, kept: elsewhere })
  })

  describe('an entry', () => {
    const HASH = 'its hash does not follow from it and the entry before it'
    const ORDER = 'it is here a second time, or not in its place'
    const later = (sequence: number) =>
      `it is missing: this line has entry ${sequence} of the chain`

    it('whose text was changed', async () => {
      const index = nth(entries, 3)
      const tampered = changed(lines, (all) => {
        const entry = all[index] ?? expect.fail()
        entry.text = entry.text?.replace('alice', 'bobby') ?? ''
      })
      expect(await broken(tampered)).to.deep.equal(
        at(index, 'its text is not the one that was recorded'),
      )
    })

    it('whose text and digest were changed', async () => {
      const index = nth(entries, 3)
      const tampered = changed(lines, (all) => {
        const entry = all[index] ?? expect.fail()
        entry.text = entry.text?.replace('alice', 'bobby') ?? ''
        entry.digest = digestOf(entry.text)
      })
      expect(await broken(tampered)).to.deep.equal(at(index, HASH))
    })

    it('that is removed, and whose digest or hash was changed', async () => {
      const index = nth(entries, 3, 'no text')
      for (const member of ['digest', 'hash'] as const) {
        const tampered = changed(lines, (all) => {
          const entry = all[index] ?? expect.fail()
          entry[member] = digestOf('x')
        })
        expect(await broken(tampered)).to.deep.equal(at(index, HASH))
      }
    })

    it('that was changed, with all hashes after it', async () => {
      for (const wanted of [0, 8, 20]) {
        const index = nth(entries, wanted)
        const tampered = changed(lines, (all) => {
          const entry = all[index] ?? expect.fail()
          // Any change: JSON may end with a space.
          entry.text = `${entry.text} `
          entry.digest = digestOf(entry.text)
          return rechain(all)
        })
        const found = await broken(tampered)
        expect(found.told).to.contain('was changed: the checkpoint of ')
        expect(found.writer).to.equal(entries[index]?.writer)
        expect(found.sequence).to.be.at.least(entries[index]?.sequence ?? 0)
      }
    })

    it('that was taken out, in the middle and at the beginning of a chain', async () => {
      let found = 0
      for (const [index, { writer, sequence }] of entries.entries()) {
        const after = entries.findIndex((other, n) => n > index && other.writer === writer)
        if (after < 0) continue
        found += 1
        const told = later(sequence + 1)
        const without = changed(lines, (all) => all.toSpliced(index, 1))
        expect(await broken(without)).to.deep.equal({ writer, sequence, line: after, told })
      }
      expect(found).to.be.greaterThan(30)
    })

    it('that was taken out, with numbers and hashes made anew', async () => {
      const index = nth(entries, 5)
      const found = await broken(changed(lines, (all) => rechain(all.toSpliced(index, 1))))
      expect(found.writer).to.equal(entries[index]?.writer)
      expect(found.told).to.match(/was changed: the checkpoint of|it is missing, and all after it/)
    })

    it('that changed its place with the next of its chain', async () => {
      const index = nth(entries, 0)
      const next = entries.findIndex(
        (each, n) => n > index && each.writer === entries[index]?.writer,
      )
      const swapped = changed(lines, (all) => {
        const [a, b] = [all[index], all[next]]
        if (a && b) [all[index], all[next]] = [b, a]
      })
      const { writer, sequence = 0 } = entries[index] ?? expect.fail()
      expect(await broken(swapped)).to.deep.equal({
        ...{ writer, sequence, line: index + 1, told: later(sequence + 1) },
      })
      // As if the numbers were those of the places.
      const renumbered = changed(swapped, (all) => {
        const [a, b] = [all[index], all[next]]
        if (a && b) [a.sequence, b.sequence] = [b.sequence, a.sequence]
      })
      expect(await broken(renumbered)).to.deep.include({ writer, sequence, told: HASH })
    })

    it('that is there twice', async () => {
      const index = nth(entries, 4)
      const entry = entries[index] ?? expect.fail()
      const found = await broken(changed(lines, (all) => all.toSpliced(index + 1, 0, entry)))
      expect(found).to.deep.equal({ ...at(index, ORDER), line: index + 2 })
    })

    it('that was put in', async () => {
      const index = nth(entries, 4)
      const entry = entries[index] ?? expect.fail()
      const text = entry.text?.replace('alice', 'bobby') ?? ''
      const forged = { ...entry, text, digest: digestOf(text) }
      const found = await broken(changed(lines, (all) => all.toSpliced(index, 0, forged)))
      expect(found).to.deep.equal(at(index, HASH))
      const made = await broken(changed(lines, (all) => rechain(all.toSpliced(index, 0, forged))))
      expect(made.writer).to.equal(entry.writer)
    })

    it('that was put in after the end of its chain, or in a chain of its own', async () => {
      const last = entries.at(-1) ?? expect.fail()
      const text = JSON.stringify(issued('x', END))
      const forged = { ...last, text, digest: digestOf(text), row: idOf('x') }
      const told = 'no checkpoint of this file vouches for it'
      const line = entries.length + 1
      for (const writer of [last.writer, 'a forged writer']) {
        const sequence = writer === last.writer ? last.sequence + 1 : 1
        const found = await broken(
          changed(lines, (all) => rechain([...all, { ...forged, writer }])),
        )
        expect(found).to.deep.equal({ writer, sequence, line, told })
      }
    })

    it('that was moved to another impersonation, or to none', async () => {
      const index = nth(entries, 2)
      for (const row of [idOf('another'), undefined]) {
        const tampered = changed(lines, (all) => {
          const { row: _, ...entry } = all[index] ?? expect.fail()
          all[index] = row === undefined ? entry : { ...entry, row }
        })
        expect(await broken(tampered)).to.deep.equal(
          at(index, 'it was moved to another impersonation'),
        )
      }
    })

    it('that looks as if it was removed', async () => {
      for (const wanted of [0, 10]) {
        const index = nth(entries, wanted)
        const tampered = changed(lines, (all) => {
          delete all[index]?.text
        })
        expect(await broken(tampered)).to.deep.equal(
          at(index, 'its text is missing, and no checkpoint says that it was removed'),
        )
      }
    })

    it('that looks as if it was removed, in the storage, before the checkpoint was signed', async () => {
      // Of day 40. The storage says that it was removed, and the provider signs what the storage says.
      const index = nth(entries, entries.filter(({ text }) => text !== undefined).length - 1)
      const { writer, sequence } = entries[index] ?? expect.fail()
      const blanked: AuditStore = {
        ...store,
        keepFor: KEEP_FOR,
        entries: async (page) =>
          (await store.entries(page)).map((entry) =>
            entry.writer === writer && entry.sequence === sequence
              ? { ...entry, text: undefined }
              : entry,
          ),
        removed: async () => [
          ...(await store.removed()).filter((each) => each.writer !== writer),
          { writer, upTo: sequence, except: Array.from({ length: sequence - 1 }, (_, n) => n + 1) },
        ],
        keepCheckpoint: async () => {},
      }
      const { told, ...place } = await broken(await linesOfExport(blanked, provider.sign))
      expect(place).to.deep.equal({ writer, sequence, line: index + 1 })
      expect(told).to.contain('its text is missing, but it was recorded after ')
    })
  })

  describe('a file', () => {
    it('without the last entries of a chain', async () => {
      const index = entries.findLastIndex(({ writer }) => writer === entries[0]?.writer)
      const { writer, sequence } = entries[index] ?? expect.fail()
      const { told, ...place } = await broken(changed(lines, (all) => all.toSpliced(index, 1)))
      expect(place).to.deep.equal({ writer, sequence })
      expect(told).to.contain('it is missing, and all after it: the checkpoint of ')
    })

    it('without a whole chain', async () => {
      const writer = entries[0]?.writer
      const without = changed(lines, (all) => all.filter((entry) => entry.writer !== writer))
      expect(await broken(without)).to.include({ writer, sequence: 1 })
    })

    it('that ends before its checkpoint, or in the middle of a line', async () => {
      const told = 'the file does not end with a checkpoint: it is cut off'
      const short = lines.filter((line) => !isCheckpoint(line))
      expect(await broken(short)).to.deep.equal({ told, line: short.length })
      expect(await broken([])).to.deep.equal({ told, line: 0 })
      const text = lines.join('\n')
      async function* read() {
        yield text.slice(0, -20)
      }
      const keys = createLocalJWKSet({ keys: [provider.jwk] })
      const error = await verify({ read, keys }).catch((thrown: unknown) => thrown)
      expect(String(error)).to.contain('the line has no end: the file is cut off')
    })

    it('with an entry after its checkpoint', async () => {
      const [last = '', ...others] = lines.filter((line) => !isCheckpoint(line)).toReversed()
      const moved = [...others.toReversed(), ...lines.filter(isCheckpoint), last]
      expect(await broken(moved)).to.deep.equal({
        told: 'the file does not end with a checkpoint: it is cut off',
        line: lines.length,
      })
    })

    it('whose end was cut off, with an earlier checkpoint in place of the last', async () => {
      // Up to day 40: by itself it is whole, and says of which day it is.
      const [, day40 = ''] = lines.filter(isCheckpoint)
      const ends = heads(day40)
      const before = entries.filter((each) => each.sequence <= (ends.get(each.writer) ?? 0))
      const cut = [...before.map((each) => JSON.stringify(each)), day40]
      const { told, ...place } = await broken(cut, { kept: elsewhere })
      expect(told).to.contain('it is missing, and all after it')
      expect(place.sequence).to.equal(1)
    })

    it('with lines that are no entries', async () => {
      for (const line of ['', '{', '[]', 'null', '{"writer":"x"}', '{"checkpoint":1}']) {
        const found = await broken([...lines.slice(0, 2), line, ...lines.slice(2)])
        expect(found.line).to.equal(3)
        expect(found.told).to.match(/^this is no (entry|checkpoint)$/)
      }
    })

    it('with a line of many megabytes, without reading it to the end', async () => {
      let read = 0
      async function* endless() {
        for (; ; read += 1) yield 'x'.repeat(1_000_000)
      }
      const keys = createLocalJWKSet({ keys: [provider.jwk] })
      const error = await verify({ read: endless, keys }).catch((thrown: unknown) => thrown)
      expect(String(error)).to.contain('the line is too long')
      expect(read).to.be.below(10)
    })
  })

  describe('a checkpoint', () => {
    const replaced = (jws: string, index = lines.length - 1) =>
      lines.with(index, JSON.stringify({ checkpoint: jws }))
    const own = (index = lines.length - 1): Record<string, unknown> =>
      decodeJwt<{ checkpoint: Record<string, unknown> }>(JSON.parse(lines[index] ?? '').checkpoint)
        .checkpoint

    it('that another key signed', async () => {
      const other = await signer()
      const line = lines.length
      expect(await broken(replaced(await other.sign(own())))).to.deep.equal({
        told: 'the checkpoint is not valid: signature verification failed',
        line,
      })
      const unknown = await signer({ kid: 'b' })
      expect(await broken(replaced(await unknown.sign(own())))).to.deep.equal({
        told: 'the checkpoint is not valid: no key of the key set signed it',
        line,
      })
    })

    it('that was changed after it was signed, or is not signed', async () => {
      const [header, , signature] = JSON.parse(lines.at(-1) ?? '').checkpoint.split('.')
      const payload = { iss: ISSUER, iat: 1, checkpoint: { ...own(), heads: [] } }
      const forged = Buffer.from(JSON.stringify(payload)).toString('base64url')
      const none = Buffer.from('{"alg":"none"}').toString('base64url')
      for (const jws of [`${header}.${forged}.${signature}`, `${none}.${forged}.`, 'x', '']) {
        expect((await broken(replaced(jws))).told).to.contain('the checkpoint is not valid')
      }
    })

    it('of another issuer', async () => {
      const jws = await provider.signAs({ issuer: 'https://evil.example' })(own())
      const told = 'the checkpoint is of another issuer: '
      expect(await broken(replaced(jws), { issuer: ISSUER })).to.deep.equal({
        told: `${told}https://evil.example`,
        line: lines.length,
      })
      // Without a named issuer, all have to be of one.
      expect((await broken(replaced(jws))).told).to.equal(`${told}${ISSUER}`)
      expect((await broken(lines, { issuer: 'https://evil.example' })).told).to.equal(
        `${told}${ISSUER}`,
      )
    })

    it('that is another token of the provider', async () => {
      const jws = await provider.signAs({ typ: 'statuslist+jwt' })(own())
      expect((await broken(replaced(jws))).told).to.contain('unexpected "typ" JWT header value')
    })

    it('of another audit, of the same provider', async () => {
      const other = { writer: 'other', sequence: 2, hash: digestOf('x') }
      const jws = await provider.sign({ ...own(), heads: [other], removed: [] })
      expect((await broken(lines, { kept: [{ jws, name: 'file, line 1' }] })).told).to.contain(
        'it is missing, and all after it',
      )
    })

    it('that was kept elsewhere and is forged', async () => {
      const other = await signer()
      const kept = [{ jws: await other.sign(own()), name: 'kept.jws, line 1' }]
      expect((await broken(lines, { kept })).told).to.equal(
        'kept.jws, line 1: the checkpoint is not valid: signature verification failed',
      )
    })

    it('that was kept elsewhere, where the whole audit was made anew in the storage', async () => {
      const index = nth(entries, 8)
      const rewritten = rechain(
        entries.map((entry, n) => {
          if (n !== index) return entry
          const text = `${entry.text} `
          return { ...entry, text, digest: digestOf(text) }
        }),
      )
      const ends = new Map(
        rewritten.map(({ writer, sequence, hash }) => [writer, { writer, sequence, hash }]),
      )
      const claims = { ...own(), heads: [...ends.values()] }
      const file = [
        ...rewritten.map((each) => JSON.stringify(each)),
        JSON.stringify({ checkpoint: await provider.sign(claims) }),
      ]
      // The attacker removed the checkpoints that the storage kept. By itself, the file is whole.
      await verified(file)
      const found = await broken(file, { kept: elsewhere })
      expect(found.told).to.contain('was changed: the checkpoint of ')
      expect(found.writer).to.equal(entries[index]?.writer)
    })

    it('that says of fewer entries that they were removed', async () => {
      const removed = own().removed as { writer: string; upTo: number }[]
      const [chain] = removed
      const less = removed.with(0, { ...chain, upTo: (chain?.upTo ?? 0) - 1 } as never)
      const jws = await provider.sign({ ...own(), removed: less })
      const file = [
        ...lines.filter((line) => !isCheckpoint(line)),
        JSON.stringify({ checkpoint: jws }),
      ]
      expect(await broken(file)).to.deep.include({
        ...{ writer: chain?.writer, sequence: chain?.upTo },
        told: 'its text is missing, and no checkpoint says that it was removed',
      })
    })

    it('of which a part is missing', async () => {
      const [one, two] = await Promise.all(
        [1, 2].map((part) => provider.sign({ ...own(), part, parts: 2 })),
      )
      const first = JSON.stringify({ checkpoint: one })
      const second = JSON.stringify({ checkpoint: two })
      await verified([...lines.slice(0, -1), first, second])
      const told = 'parts of the last checkpoint are missing'
      expect((await broken([...lines.slice(0, -1), second])).told).to.equal(told)
      expect((await broken([...lines.slice(0, -1), first])).told).to.equal(told)
      expect((await broken([...lines.slice(0, -1), second, first])).told).to.equal(told)
    })

    it('whose claims are no claims of a checkpoint', async () => {
      for (const wrong of [
        {},
        { ...own(), version: 2 },
        { ...own(), heads: {} },
        { ...own(), removed: [{}] },
      ]) {
        expect((await broken(replaced(await provider.sign(wrong)))).told).to.equal(
          'the checkpoint cannot be read',
        )
      }
    })

    it('in the middle that a key signed which is no longer known is passed over, and told of', async () => {
      const old = await signer({ kid: 'old' })
      const index = lines.findIndex(isCheckpoint)
      const rotated = replaced(await old.sign(own(index)), index)
      expect(await verified(rotated)).to.include({ checkpoints: 3, unknown: 1 })
      const keys = createLocalJWKSet({ keys: [provider.jwk, old.jwk] })
      expect(await verified(rotated, { keys })).to.include({ checkpoints: 4, unknown: 0 })
    })
  })

  it('takes what was stored during an export for no fault', async () => {
    let isStored = false
    const busy: AuditStore = {
      ...store,
      async entries(page) {
        const found = await store.entries(page)
        if (!isStored) await put(store, issued('meanwhile', END))
        isStored = true
        return found
      },
    }
    const during = await linesOfExport(busy, provider.sign)
    expect(await verified(during)).to.include({ entries: entries.length })
    expect(await verified(await linesOfExport(store, provider.sign, END + DAY))).to.include({
      entries: entries.length + 1,
    })
  })

  function heads(line: string): Map<string, number> {
    const { checkpoint } = decodeJwt<{ checkpoint: { heads: ExportedEntry[] } }>(
      JSON.parse(line).checkpoint,
    )
    return new Map(checkpoint.heads.map(({ writer, sequence }) => [writer, sequence]))
  }
})
