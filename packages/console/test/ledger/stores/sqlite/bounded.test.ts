import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { newFolder } from '../../../../../../test/support/folder.ts'
import type { AuditStore } from '../../../../src/ledger/store.ts'
import { createSqliteAudit } from '../../../../src/ledger/stores/sqlite/index.ts'
import { boundedCases, manyRows } from '../many-rows.ts'

describe('a search in SQLite among many rows', function () {
  this.timeout(120_000)
  const { prepare } = DatabaseSync.prototype
  let store: AuditStore
  /** Rows whose words were compared. */
  let compared = 0
  /** The plan of each search. */
  const plans: string[] = []

  before(async () => {
    const file = join(newFolder(), 'audit.db')
    store = createSqliteAudit({ file })
    await store.open()
    const database = new DatabaseSync(file)
    const insert = database.prepare(
      'INSERT INTO impersonation_audit_impersonation (id, version, data) VALUES (?, 1, ?)',
    )
    database.exec('BEGIN')
    for (const { id, data } of manyRows()) insert.run(id, data)
    database.exec('COMMIT')
    database.close()
    DatabaseSync.prototype.prepare = function (text) {
      if (/instr\(/.test(text)) {
        this.function('instr', (all, part) => {
          compared += 1
          return String(all).indexOf(String(part)) + 1
        })
      }
      if (/FROM impersonation_audit_(?:impersonation|entry|seal)/.test(text)) {
        const values = Array.from(text.matchAll(/\?/g), () => 1)
        const steps = prepare.call(this, `EXPLAIN QUERY PLAN ${text}`).all(...values)
        plans.push(steps.map(({ detail }) => detail).join('\n'))
      }
      return prepare.call(this, text)
    }
  })
  after(async () => {
    DatabaseSync.prototype.prepare = prepare
    await store.close()
  })

  it('takes the newest entries and seals from the index: it would sort all others, too', async () => {
    plans.length = 0
    await store.newest()
    await store.entries({ limit: 10 })
    await store.timeline('a', { limit: 10 })
    await store.newestSeals(2)
    await store.sealsAfter(1, 10)
    expect(plans).to.have.length(5)
    for (const plan of plans) expect(plan).to.not.include('TEMP B-TREE')
  })

  boundedCases(
    () => store,
    async (work) => {
      plans.length = 0
      compared = 0
      await work()
      // A subquery with a limit, whose rows come from an index in their order.
      for (const plan of plans) {
        expect(plan).to.match(
          /CO-ROUTINE looked\n.* USING INDEX impersonation_audit_impersonation_|place IN|rowid=/i,
        )
      }
      return compared
    },
  )
})
