import { expect } from 'chai'
import { digestOf, entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import { batches } from '../../src/ledger/recording/batches.ts'
import type { AuditStore, StoredEntry } from '../../src/ledger/store.ts'
import { idOf, issued, T } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import {
  chain,
  changed,
  DAY,
  END,
  type ExportedEntry,
  KEEP_FOR,
  linesOfExport,
  rechain,
} from './history.ts'
import { broken, type Exported, exportedHistory, nth, provider, verified } from './tampering.ts'

describe('verify finds an entry', () => {
  let exported: Exported
  let store: AuditStore
  let lines: string[]
  let entries: ExportedEntry[]
  let first: number

  before(async () => {
    exported = await exportedHistory()
    ;({ store, lines, entries, first } = exported)
  })
  after(() => exported.dispose())

  /** The place of an entry in the file, and what is said of it. */
  function at(index: number, told: string) {
    const { writer, sequence } = entries[index] ?? expect.fail()
    return { writer, sequence, line: first + index + 1, told }
  }

  const HASH = 'its hash does not follow from it and the entry before it'
  const ORDER = 'it is here a second time, or not in its place'
  const later = (sequence: number) => `it is missing: this line has entry ${sequence} of the chain`

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
      entry.digest = entryDigestOf(entry.text, entry.row)
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
        entry.digest = entryDigestOf(entry.text, entry.row)
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
      const without = changed(lines, (all) => all.toSpliced(index, 1))
      const { told, line = 0, ...place } = await broken(without)
      expect(place).to.deep.equal({ writer, sequence })
      // Its chain says so, or before it the row.
      expect(line).to.be.at.most(first + after)
      expect(told).to.match(/^it is missing/)
    }
    expect(found).to.be.greaterThan(30)
  })

  it('that was taken out, with numbers and hashes made anew', async () => {
    const index = nth(entries, 5)
    const found = await broken(changed(lines, (all) => rechain(all.toSpliced(index, 1))))
    expect(found.writer).to.equal(entries[index]?.writer)
    expect(found.told).to.match(
      /was changed: the checkpoint of|it is missing, and all after it|its text is missing/,
    )
  })

  it('that changed its place with the next of its chain', async () => {
    const index = nth(entries, 0)
    const next = entries.findIndex((each, n) => n > index && each.writer === entries[index]?.writer)
    const swapped = changed(lines, (all) => {
      const [a, b] = [all[index], all[next]]
      if (a && b) [all[index], all[next]] = [b, a]
    })
    const { writer, sequence = 0 } = entries[index] ?? expect.fail()
    expect(await broken(swapped)).to.deep.equal({
      ...{ writer, sequence, line: first + index + 1, told: later(sequence + 1) },
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
    expect(found).to.deep.equal({ ...at(index, ORDER), line: first + index + 2 })
  })

  it('that was put in', async () => {
    const index = nth(entries, 4)
    const entry = entries[index] ?? expect.fail()
    const text = entry.text?.replace('alice', 'bobby') ?? ''
    const forged = { ...entry, text, digest: entryDigestOf(text, entry.row) }
    const found = await broken(changed(lines, (all) => all.toSpliced(index, 0, forged)))
    expect(found).to.deep.equal(at(index, HASH))
    const made = await broken(changed(lines, (all) => rechain(all.toSpliced(index, 0, forged))))
    expect(made.writer).to.equal(entry.writer)
  })

  it('that was put in after the end of its chain, or in a chain of its own', async () => {
    const last = entries.at(-1) ?? expect.fail()
    const text = JSON.stringify(issued('x', END))
    const forged = { ...last, text, digest: entryDigestOf(text, idOf('x')), row: idOf('x') }
    const told = new Map([
      [last.writer, 'no checkpoint of this file vouches for it'],
      ['a forged writer', 'its chain does not begin with what the provider signed'],
    ])
    const line = first + entries.length + 1
    for (const writer of [last.writer, 'a forged writer']) {
      const sequence = writer === last.writer ? last.sequence + 1 : 1
      const found = await broken(changed(lines, (all) => rechain([...all, { ...forged, writer }])))
      expect(found).to.deep.equal({ writer, sequence, line, told: told.get(writer) })
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
    const index = entries.findLastIndex(({ text }) => text !== undefined)
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
        { writer, upTo: sequence, except: [[1, sequence - 1]] },
      ],
      keepCheckpoint: async () => {},
    }
    const { told, ...place } = await broken(await linesOfExport(blanked, provider.sign))
    expect(place).to.deep.equal({ writer, sequence, line: first + index + 1 })
    expect(told).to.contain('its text is missing, but it is of ')
  })

  it('that is more than a day older than the beginning of its chain, where no checkpoint was kept', async () => {
    const began = END - 10 * DAY
    const linesWith = async (time: number) => {
      const one = memoryAudit()
      const writer = await chain(provider.sign, began)
      await one.append(writer.next([issued('x', began + 1), issued('y', time)]))
      return linesOfExport(one, provider.sign)
    }
    // What an API tells late, and what the provider knows of before.
    expect(await verified(await linesWith(began - DAY))).to.include({ rows: 2 })
    const { told, sequence } = await broken(await linesWith(began - DAY - 1))
    expect(sequence).to.equal(3)
    expect(told).to.contain('its chain began at').and.contain('it was put in later')
  })

  it('that was put in later with an earlier time, in a chain that the provider signed', async () => {
    for (const time of [T + 10 * DAY, T + 45 * DAY]) {
      const forger = batches()
      const [record] = forger.next([issued('x', time)]).records
      const { text = '', digest = '', hash = '', row } = record ?? {}
      const { writer } = forger
      const forged: StoredEntry = {
        ...{ writer, sequence: 1, text, digest, hash, row, cursor: '999999' },
        ...{ count: 1, lastTime: undefined },
      }
      const added: AuditStore = {
        ...store,
        heads: async () => [...(await store.heads()), { writer, sequence: 1, hash }],
        entries: async ({ after, limit }) =>
          after === '999999'
            ? []
            : ((found) => (found.length > 0 ? found : [forged]))(
                await store.entries({ after, limit }),
              ),
        keepCheckpoint: async () => {},
      }
      const { told, ...place } = await broken(await linesOfExport(added, provider.sign))
      expect(place).to.deep.include({ writer, sequence: 1 })
      expect(told).to.contain('does not have it: it was put in later')
    }
  })

  it('that looks as if it was removed, with all before it: no text says how old its chain is', async () => {
    const { writer } = entries.findLast(({ text }) => text !== undefined) ?? expect.fail()
    const ofIt = entries.filter((entry) => entry.writer === writer)
    const upTo = ofIt.at(-1)?.sequence ?? 0
    for (const keepFor of [KEEP_FOR, undefined]) {
      const blanked: AuditStore = {
        ...store,
        keepFor,
        entries: async (page) =>
          (await store.entries(page)).map((entry) =>
            entry.writer === writer && entry.sequence > 1 ? { ...entry, text: undefined } : entry,
          ),
        // The attacker removed the checkpoints that the storage kept.
        checkpoints: async () => [],
        removed: async () => [
          ...(await store.removed()).filter((each) => each.writer !== writer),
          { writer, upTo, except: [[1, 1]] },
        ],
        keepCheckpoint: async () => {},
      }
      const file = await linesOfExport(blanked, provider.sign)
      const { told, ...place } = await broken(file)
      if (keepFor !== undefined) expect(place).to.deep.include({ writer, sequence: 2 })
      expect(told).to.contain('its text is missing, but it is of ')
      // The time of what is gone is in its digest, which the hashes hold fast.
      const older = changed(file, (all) => {
        for (const entry of all) {
          if (entry.writer === writer && entry.sequence > 1)
            entry.digest = entry.digest.replace(/\.\d+\./, '.1.')
        }
      })
      if (keepFor !== undefined) expect((await broken(older)).told).to.equal(HASH)
      const nameless = changed(file, (all) => {
        for (const entry of all) entry.digest = entry.digest.replace(/\.\d+\./, '..')
        return rechain(all)
      })
      expect((await broken(nameless)).told).not.to.equal('')
    }
  })
})
