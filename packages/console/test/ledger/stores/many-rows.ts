import { expect } from 'chai'
import { storedRowOf } from 'oidc-provider-impersonation-verify/chain'
import { type AuditEntry, type AuditRow, fold } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../src/ledger/filters.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { ended, idOf, issued, many, refused, replayed, T } from './contract/support.ts'

/** Many times what a page compares: to read them all would be found out. */
const ROWS = 30_000
/** The most rows that a page reads, with those that it looks up to know its end. */
const MAX_ROWS_READ = 12_700
const STEP_MS = 1000

/** The first rows are of an operator who left then. */
const LEFT_AFTER = 3000

/** The only one that was refused: older than all that is looked at for three pages. */
const REFUSED = { id: idOf('refused'), at: T + 12_000 * STEP_MS + 1 }

/**
 * Rows, as a store keeps them: two operators take turns, and no row has both. One of them has an alarm each second
 * time, and all but one row ended in the same way.
 */
export function manyRows(): { id: string; data: string }[] {
  const rows = many(ROWS, (index) => {
    const at = T + index * STEP_MS
    const name = `${index}`
    const [sub, said] = operatorOf(index)
    const entries = [
      issued(name, at, {
        userId: `customer-${index % 7}`,
        mayAct: { sub, clientId: 'shop' },
        names: { actor: { name: said } },
        context: { ticketId: `SUP-${index}`, reason: 'Order lost' },
      }),
      ended(name, at + 1, { mayAct: { sub, clientId: 'shop' } }),
      ...(index % 4 ? [] : [replayed(name, at + 2)]),
    ]
    return sumOf(idOf(name), entries)
  })
  return [...rows, sumOf(REFUSED.id, [refused(REFUSED.at)])].map((row) => ({
    id: row.id,
    data: JSON.stringify(storedRowOf(row)),
  }))
}

function operatorOf(index: number): readonly [id: string, name: string] {
  if (index < LEFT_AFTER) return ['otto', 'Otto']
  return index % 2 ? ['olivia', 'Olivia'] : ['oscar', 'Oscar']
}

function sumOf(id: string, entries: readonly AuditEntry[]): AuditRow {
  const row = entries.reduce<AuditRow | undefined>((sum, entry) => fold(sum, id, entry), undefined)
  return row ?? expect.fail()
}

/** Conditions that are frequent, each by itself, and never meet. */
const NEVER_TOGETHER: readonly RowFilter[] = [
  { text: 'olivia oscar' },
  { text: 'oscar', operator: 'olivia' },
  { text: 'olivia order', outcome: 'policy' },
  { alarm: 'any', operator: 'olivia' },
  { alarm: 'any', text: 'olivia' },
  { outcome: 'requested', operator: 'nobody' },
  { outcome: 'requested', alarm: 'open', operator: 'olivia' },
  { customer: 'customer-1', text: 'nothing like this' },
]

/** Conditions that an index has. */
export const ALONE: readonly RowFilter[] = [
  {},
  { operator: 'otto' },
  { operator: 'olivia', to: T + 4_000_000 },
  { customer: 'customer-1' },
  { alarm: 'any' },
  { outcome: 'requested', from: T + 4_000_000 },
]

/** Conditions of first pages that an index has. */
export const FIRST_PAGES: readonly RowFilter[] = [
  {},
  { from: T + 2_000_000, to: T + 2_100_000 },
  { to: T + 2_000_000 },
  { operator: 'operator-3' },
  { customer: 'customer-7' },
  { ticket: 'SUP-77' },
  { alarm: 'any' },
  { alarm: 'open' },
  { held: true },
  { due: { to: 'customer', before: T } },
]

/** All pages, one after the other. */
async function allPages(store: AuditStore, filter: RowFilter) {
  const all: Awaited<ReturnType<AuditStore['find']>>[] = []
  for (let before: string | undefined; ; ) {
    const page = await store.find(filter, { before, limit: 50, now: T })
    all.push(page)
    if (page.next === undefined) return all
    expect(page.next, 'the next page is older').to.not.equal(before)
    expect(all.length, 'the pages end').to.be.below(20)
    before = page.next
  }
}

/**
 * Defines the tests of each engine.
 *
 * @param store of {@link manyRows}
 * @param rowsRead by the work
 */
export function boundedCases(
  store: () => AuditStore,
  rowsRead: (work: () => Promise<unknown>) => Promise<number>,
) {
  for (const filter of NEVER_TOGETHER) {
    it(`reads a part of them for a page: ${JSON.stringify(filter)}`, async () => {
      const first = await rowsRead(async () => {
        const { rows, next, lookedTo } = await store().find(filter, { limit: 50, now: T })
        expect(rows).to.deep.equal([])
        expect(lookedTo !== undefined).to.equal(next !== undefined)
      })
      const counted = await rowsRead(async () => {
        const count = await store().countNewer(filter, { at: T, id: 'x' }, T)
        expect(count).to.include({ count: 0 })
      })
      let pages = 0
      const all = await rowsRead(async () => {
        const found = await allPages(store(), filter)
        expect(found.flatMap(({ rows }) => rows)).to.deep.equal([])
        pages = found.length
      })
      for (const read of [first, counted, all / pages]) expect(read).to.be.below(MAX_ROWS_READ)
    })
  }

  it('finds what is there by looking further back, and what few rows have at once', () =>
    expectAllFound(store()))
}

/** A reader who looks further back finds all that there is. */
async function expectAllFound(store: AuditStore) {
  const pages = await allPages(store, { operator: 'olivia', customer: 'grace' })
  expect(pages.flatMap(({ rows }) => rows.map(({ id }) => id))).to.deep.equal([REFUSED.id])
  const first = await store.find({ text: 'sup-29777' }, { limit: 50, now: T })
  expect(first.next, 'what few rows have is found at once').to.equal(undefined)
  expect(first.rows.map(({ ticket }) => ticket)).to.deep.equal(['SUP-29777'])
  const mixed = await store.find({ text: 'order olivia sup-7777' }, { limit: 50, now: T })
  expect(mixed.next, 'also beside words that all rows have').to.equal(undefined)
  expect(mixed.rows.map(({ ticket }) => ticket)).to.deep.equal(['SUP-7777'])
}
