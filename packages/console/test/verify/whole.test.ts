import { expect } from 'chai'
import { summaryOf } from '../../../verify/src/verify/summary.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { issued, used } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { chain, DAY, END, type ExportedEntry, ISSUER, linesOfExport } from './history.ts'
import { type Exported, exportedHistory, provider, verified } from './tampering.ts'

describe('verify', () => {
  let exported: Exported
  let store: AuditStore
  let lines: string[]
  let entries: ExportedEntry[]
  let elsewhere: Exported['elsewhere']

  before(async () => {
    exported = await exportedHistory()
    ;({ store, lines, entries, elsewhere } = exported)
  })
  after(() => exported.dispose())

  it('finds nothing in an export as it was made', async () => {
    expect(await verified(lines)).to.deep.equal({
      ...{ entries: 56, removed: 19, only: undefined, leftOut: 0, ofImpersonation: [] },
      erased: { entries: 0, impersonations: 0, permits: 0 },
      ...{ chains: 7, rows: 5, permits: 0, unprovedRows: 0 },
      ...{ repeatedEntries: 5, repetitions: 5, checkpoints: 4, unknown: 0 },
      ...{ issuer: ISSUER, time: END },
    })
    await verified(lines, { issuer: ISSUER, kept: elsewhere })
  })

  it('says of how many rows it cannot know that they are the sums of their entries', async () => {
    const newer = { ...used('newer', END), event: 'impersonation.later' as never }
    const more = memoryAudit()
    await more.append((await chain(provider.sign, END)).next([issued('newer', END), newer]))
    const found = await verified(await linesOfExport(more, provider.sign))
    expect(found.unprovedRows).to.equal(1)
    const asked = { file: 'entries.jsonl', checkpoints: [] }
    expect(summaryOf(found, asked).join('\n')).to.contain('1 rows are not proved')
    const whole = summaryOf(await verified(lines), asked).join('\n')
    expect(whole).to.not.contain('not proved: they have')
  })

  it('takes what was stored during an export for no fault', async () => {
    let isStored = false
    const busy: AuditStore = {
      ...store,
      async entries(page) {
        const found = await store.entries(page)
        if (!isStored)
          await store.append((await chain(provider.sign, END)).next([issued('meanwhile', END)]))
        isStored = true
        return found
      },
    }
    const during = await linesOfExport(busy, provider.sign)
    expect(await verified(during)).to.include({ entries: entries.length })
    expect(await verified(await linesOfExport(store, provider.sign, END + DAY))).to.include({
      entries: entries.length + 2,
    })
  })
})
