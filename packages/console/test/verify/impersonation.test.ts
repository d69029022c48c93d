import { expect } from 'chai'
import { summaryOf } from '../../../verify/src/verify/summary.ts'
import { act, ended, idOf, issued, started, T, used } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { chain, changed, END, isEntry, linesOfExport } from './history.ts'
import { broken, type Exported, exportedHistory, provider, verified } from './tampering.ts'

/** What the command prints of an impersonation. */
async function printed(lines: readonly string[], id: string, kept: Exported['elsewhere'] = []) {
  const found = await verified(lines, { impersonation: id, kept })
  const checkpoints = kept.map(({ name }) => name)
  return summaryOf(found, { file: 'file', checkpoints, impersonation: id })
}

describe('verify of one impersonation', () => {
  let exported: Exported
  let proof: string[]

  before(async () => {
    exported = await exportedHistory()
    proof = await linesOfExport(exported.store, provider.sign, END, idOf('held'))
  })
  after(() => exported.dispose())

  it('says its entries in words, oldest first, with who, whom and the ticket', async () => {
    const store = memoryAudit()
    await store.open()
    const [one, two] = [await chain(provider.sign, T), await chain(provider.sign, T)]
    const names = { user: { name: 'Alice Ng' }, actor: { name: 'Olivia Ortiz' } }
    const continued = { event: 'support.continued', id: idOf('a'), userId: 'alice' } as const
    const refused = { by: 'rule', error: 'e', description: 'not while "acting"' } as never
    // Another process stores what happened earlier later.
    await store.append(
      one.next([
        started('a', T + 3000, { names, permit: 'p1', review: 'emergency' }),
        used('a', T + 4000, { method: 'PUT', path: '/email', status: 403, refused }),
        ended('a', T + 5000, {
          names: { by: { name: 'Grace Gale' } },
          end: { at: T / 1000, cause: 'requested', by: { sub: 'grace' }, reason: 'done' },
        }),
        act('held', 'a', T + 6000, { by: 'ada', note: 'a case' }),
        act('objected', 'a', T + 7000, { by: 'alice' }),
      ]),
    )
    await store.append(
      two.next([
        issued('a', T + 1000, { names }),
        { ...continued, timeMs: T + 2000, by: 'olivia', continues: idOf('before') },
      ]),
    )
    const lines = await printed(await linesOfExport(store, provider.sign, END), idOf('a'))
    const first = lines.indexOf(`The impersonation ${idOf('a')}:`) + 1
    expect(lines.slice(first, lines.indexOf('', first))).to.deep.equal([
      '2026-01-01 00:00:01.000 UTC  Olivia Ortiz (olivia) asked to act as Alice Ng (alice). Ticket: "SUP-1". Reason: "Order lost".',
      `2026-01-01 00:00:02.000 UTC  Continues the impersonation ${idOf('before')}.`,
      '2026-01-01 00:00:03.000 UTC  Started in shop. Ticket: "SUP-1". Reason: "Order lost". Rights: "orders". Permit: p1. To be looked at afterwards: "emergency".',
      '2026-01-01 00:00:04.000 UTC  PUT "/email": refused. Because: "not while \\"acting\\"".',
      '2026-01-01 00:00:05.000 UTC  Grace Gale (grace) ended it. Ticket: "SUP-1". Reason: "Order lost". Because: "done".',
      '2026-01-01 00:00:06.000 UTC  ada put it on hold. Note: "a case".',
      '2026-01-01 00:00:07.000 UTC  Alice Ng (alice), the customer, says: I did not ask for this.',
    ])
    expect(lines.slice(lines.indexOf('', first) + 1)).to.deep.equal([
      '7 entries, unbroken, covered by the checkpoint of 2026-02-20 00:00:00.000 UTC, signed by https://id.example.com.',
      'None that was kept elsewhere covers 7 entries: a person who could write to the storage could change that until 2026-02-20 00:00:00.000 UTC.',
      'What was recorded after 2026-02-20 00:00:00.000 UTC is not in this file.',
    ])
  })

  it('names what was removed when its time was over, and says that it is not proved', async () => {
    const lines = await printed(exported.lines, idOf('a'))
    const removed = lines.filter((line) =>
      line.includes('What it said was removed: its time was over'),
    )
    expect(removed).to.have.lengthOf(5)
    expect(removed[0]).to.match(/^2026-01-01 00:00:00\.000 UTC {2}What it said/)
    expect(lines.join('\n')).to.contain('Not proved: what 5 entries said.')
  })

  it('is proved by an export that has no text of others, and says that they are left out', async () => {
    const texts = proof.filter(isEntry).flatMap((line) => JSON.parse(line).text ?? [])
    const about = texts.map((text) => JSON.parse(text))
    expect(about.filter(({ event }) => event !== 'audit.begun')).to.have.lengthOf(6)
    expect(about.every(({ event, id }) => event === 'audit.begun' || id === idOf('held'))).to.equal(
      true,
    )
    const found = await verified(proof)
    expect(found).to.include({ entries: 56, removed: 0, only: idOf('held'), leftOut: 43, rows: 1 })
    const lines = (await printed(proof, idOf('held'))).join('\n')
    expect(lines).to.contain('it leaves out what 43 entries of others say.')
    expect(lines).to.contain('6 entries, unbroken')
    expect(lines).not.to.contain('was removed')
  })

  it('is broken where the proof lacks a text, an entry, a row or a chain of others', async () => {
    const index = proof.filter(isEntry).findIndex((line) => line.includes('impersonation.started'))
    const textless = changed(proof, (all) => {
      delete all[index]?.text
    })
    expect((await broken(textless)).told).to.contain('no checkpoint says that it was removed')
    const shorter = changed(proof, (all) => all.toSpliced(index, 1))
    expect((await broken(shorter)).told).to.contain('it is missing')
    const other = proof.filter(isEntry).findIndex((line) => !line.includes('"text"'))
    const without = changed(proof, (all) => all.toSpliced(other, 1))
    expect((await broken(without)).told).to.contain('it is missing')
    const rowless = proof.filter((line) => !line.startsWith('{"row"'))
    expect((await broken(rowless)).told).to.contain('the row of its impersonation is missing')
  })

  it('is broken where an export of everything is made into one that leaves texts out', async () => {
    const { lines } = exported
    const others = changed(lines, (all) => {
      for (const entry of all)
        if (entry.row !== idOf('held') && entry.sequence > 1) delete entry.text
    })
    expect((await broken(others)).told).to.contain('no checkpoint says that it was removed')
    const rows = others.filter((line) => !line.startsWith('{"row"') || line.includes(idOf('held')))
    const made = [JSON.stringify({ only: idOf('held') }), ...rows]
    expect((await broken(made)).told).to.contain('the signed SHA-256 differs')
  })

  it('says how many entries a checkpoint that was kept elsewhere covers', async () => {
    const { store, elsewhere } = exported
    const late = await chain(provider.sign, END - 1000)
    await store.append(late.next([used('g', END - 1000)]))
    const lines = await linesOfExport(store, provider.sign, END, idOf('g'))
    const told = (await printed(lines, idOf('g'), elsewhere)).join('\n')
    expect(told).to.contain('6 entries, unbroken, covered by the checkpoint of 2026-02-20')
    expect(told).to.contain(
      'A checkpoint that was kept elsewhere covers 5 entries, since 2026-02-19',
    )
    expect(told).to.contain('None that was kept elsewhere covers 1 entry: a person who')
  })
})
