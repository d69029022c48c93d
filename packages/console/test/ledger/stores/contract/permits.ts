import assert from 'node:assert/strict'
import type { AuditStore, Batch, PermitFilter } from 'oidc-provider-impersonation-console'
import { entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  asciiJson,
  encodeEntry,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { newEntryId } from '../../../../src/ledger/recording/compose.ts'
import type { AuditCase } from './audit-case.ts'
import {
  assertHas,
  assertSame,
  assertWholeLog,
  found,
  idOf,
  issued,
  MARKS,
  put,
  readOn,
  rejection,
  removeOld,
  T,
  times,
  writeNow,
} from './support.ts'

/** A permit in its first version. */
export function permitOf(name: string, more: Partial<StoredRecord> = {}): StoredRecord {
  return {
    ...{ id: idOf(name), version: 1, at: T, customer: 'alice', operator: 'olivia' },
    ...({ kind: 'approval', state: 'requested', isReviewDue: false } as const),
    data: asciiJson({ name, note: 'Zoë asked' }),
    ...more,
  }
}

/** A decision, whatever its entry says. @param replaces the number of the last entry that was looked at */
export function decisionOf(permit: StoredRecord, replaces = 0, slots: Batch['slots'] = []): Batch {
  const { id, at, version } = permit
  const entry = { event: 'support.stopped', timeMs: at + version - 1, permit: id } as const
  const text = encodeEntry(entry, newEntryId())
  const digest = entryDigestOf(text, { id: newEntryId(), subject: id }, entry)
  return {
    entries: [{ text, digest, mac: MARKS.markOf(digest) }],
    sums: [{ kind: 'record', id, replaces, from: 0, at: 0, data: JSON.stringify(permit) }],
    slots,
  }
}

/** Decides by what is stored now. */
export async function decide(store: AuditStore, permit: StoredRecord) {
  const { slot, id } = permit
  const before = await store.permit(id)
  const holder = slot === undefined || before ? undefined : await store.slotHolder(slot)
  const slots = slot === undefined || before ? [] : [{ slot, version: holder?.last ?? 0 }]
  return (await writeNow(store, decisionOf(permit, before?.last, slots))).is === 'stored'
}

async function idsOf(store: AuditStore, filter: PermitFilter = {}, oldestFirst?: true) {
  const ids: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await store.permits(filter, { before, limit: 2, oldestFirst })
    ids.push(...page.permits.map(({ id }) => id))
    if (ids.length > 100) assert.fail('the pages do not end')
    if (page.next === undefined) return ids
    assert.equal(page.permits.length, 2, 'a page that is not the last')
    before = page.next
  }
}

export const permitCases: readonly AuditCase[] = [
  {
    title: 'stores a permit and its entry in one step, where it has the version that was looked at',
    async run({ store, another }) {
      const first = permitOf('a')
      assert.equal(await store.permit(first.id), undefined)
      assert.equal(await decide(store, first), true)
      assert.deepEqual(await store.permit(first.id), { ...first, last: 1 })
      const second = permitOf('a', { version: 2, state: 'granted', overAt: T + 99, data: '{}' })
      const other = await another()
      const batch = decisionOf(second, 1)
      assertHas(await writeNow(other, batch), { is: 'stored' })
      assertHas(await writeNow(store, decisionOf(second, 1)), { is: 'changed' })
      assertHas(await writeNow(store, decisionOf(first)), { is: 'changed' })
      assertHas(await writeNow(store, decisionOf(permitOf('b'), 2)), { is: 'changed' })
      // The same one again.
      assertHas(await writeNow(store, batch), { is: 'stored', number: 2 })
      assert.deepEqual(await other.permit(first.id), { ...second, last: 2 })
      assert.deepEqual(times(await readOn(store)), [T, T + 1])
      assert.deepEqual(await store.permit("' OR 1=1 --"), undefined)
    },
  },
  {
    title: 'makes a permit where the newest of its slot is the one that was looked at',
    async run({ store }) {
      const slot = 'slot of alice & olivia: 1'
      const [a, b] = [permitOf('a', { slot }), permitOf('b', { slot, at: T - 50 })]
      const open = async (permit: StoredRecord, version: number) =>
        (await writeNow(store, decisionOf(permit, 0, [{ slot, version }]))).is
      assert.equal(await store.slotHolder(slot), undefined)
      assert.equal(await open(a, 7), 'changed')
      assert.equal(await open(a, 0), 'stored')
      assert.equal(await open(b, 0), 'changed')
      const refused = { ...a, version: 2, state: 'declined' as const }
      assert.equal(await decide(store, refused), true)
      assert.equal(await open(b, 1), 'changed')
      assert.deepEqual(await store.slotHolder(slot), { ...refused, last: 2 })
      assert.equal(await open(b, 2), 'stored')
      // The one that was stored last: clocks differ.
      assertHas(await store.slotHolder(slot), b)
      assert.equal(await open(permitOf('c', { slot }), 2), 'changed')
      // A decision about a permit does not look at its slot.
      assert.equal(await decide(store, { ...a, version: 3 }), true)
      assertHas(await store.slotHolder(slot), b)
    },
  },
  {
    title: 'keeps an id for a permit or for an impersonation, whichever was first',
    async run({ store }) {
      await put(store, issued('a', T))
      assertHas(await writeNow(store, decisionOf(permitOf('a'))), { is: 'changed' })
      await decide(store, permitOf('b'))
      await put(store, issued('b', T))
      assert.equal(await store.row(idOf('b')), undefined)
      assert.deepEqual(
        (await found(store)).map(({ id }) => id),
        [idOf('a')],
      )
    },
  },
  {
    title: 'finds what is in force: the newest of each slot, and what is granted and not over',
    async run({ store }) {
      const granted = { state: 'granted', overAt: T + 10 } as const
      const all = [
        permitOf('old', { slot: 'one' }),
        permitOf('new', { slot: 'one', at: T - 50 }),
        permitOf('other', { slot: 'two' }),
        permitOf('unasked', { slot: 'three' }),
        permitOf('granted', granted),
        permitOf('for good', { state: 'granted' }),
        permitOf('over', { ...granted, overAt: T }),
        permitOf('declined', { ...granted, state: 'declined' }),
        permitOf('of bob', { ...granted, customer: 'bob' }),
        permitOf('by oscar', { ...granted, operator: 'oscar' }),
      ]
      for (const permit of all) assert.equal(await decide(store, permit), true)
      const slots = ['one', 'two', 'nobody has it']
      const wanted = { customer: 'alice', operator: 'olivia', notOverAt: T }
      const permitted = [idOf('granted'), idOf('for good')]
      const idsIn = async (asked: Parameters<AuditStore['permitsInForce']>[0]) =>
        (await store.permitsInForce(asked)).map(({ id }) => id)
      assertSame(await idsIn({ slots }), [idOf('new'), idOf('other')])
      assertSame(await idsIn({ slots: [], granted: wanted }), permitted)
      assertSame(await idsIn({ slots: ['two'], granted: wanted }), [idOf('other'), ...permitted])
    },
  },
  {
    title: 'finds permits by what they are, the newest first, in pages',
    async run({ store }) {
      const long = 'x'.repeat(3000)
      const all = [
        permitOf('a', { at: T + 1, customer: 'bob', overAt: T + 50, customerDueAt: T + 5 }),
        permitOf('b', { at: T + 2, operator: undefined, state: 'granted', customerDueAt: T + 4 }),
        permitOf('c', {
          at: T + 3,
          kind: 'emergency',
          isReviewDue: true,
          state: 'revoked',
          overAt: T + 60,
        }),
        permitOf('d', { at: T + 3, operator: long, customer: long }),
        permitOf('e', { at: T, state: 'declined', overAt: T + 50 }),
        permitOf('f', { at: T - 1, state: 'stopped', customer: undefined, overAt: T + 45 }),
      ]
      for (const permit of all) assert.equal(await decide(store, permit), true)
      const named = async (filter: PermitFilter) =>
        (await idsOf(store, filter)).map((id) => all.find((each) => each.id === id)?.data[9])
      const newest = idOf('c') > idOf('d') ? ['c', 'd'] : ['d', 'c']
      const cases: readonly (readonly [PermitFilter, readonly string[]])[] = [
        [{}, [...newest, 'b', 'a', 'e', 'f']],
        [{ customer: 'bob' }, ['a']],
        [{ customer: long }, ['d']],
        [{ operator: 'olivia' }, ['c', 'a', 'e', 'f']],
        [{ state: 'stopped', notOverAt: T + 44 }, ['f']],
        [{ operator: long, state: 'requested' }, ['d']],
        [{ operator: 'nobody' }, []],
        [{ state: 'requested' }, ['d', 'a']],
        [{ from: T + 2 }, [...newest, 'b']],
        [{ to: T + 2 }, ['a', 'e', 'f']],
        [{ from: T, to: T + 2, state: 'requested' }, ['a']],
        [{ isReviewDue: true }, ['c']],
        [{ kind: 'emergency' }, ['c']],
        [{ notOverAt: T + 50 }, [...newest, 'b']],
        [{ notOverAt: T + 49 }, [...newest, 'b', 'a', 'e']],
        [{ due: { to: 'customer', before: T + 4 } }, []],
        [{ due: { to: 'customer', before: T + 6 } }, ['b', 'a']],
      ]
      for (const [filter, names] of cases) {
        assert.deepEqual(await named(filter), names, JSON.stringify(filter).slice(0, 60))
      }
      assert.deepEqual(await idsOf(store, {}, true), (await idsOf(store)).toReversed())
      // A permit is found as the last decision has made it.
      const now = {
        version: 2,
        at: T + 1,
        customer: 'bob',
        state: 'granted',
        overAt: T + 70,
      } as const
      assert.equal(await decide(store, permitOf('a', now)), true)
      assert.deepEqual(await named({ due: { to: 'customer', before: T + 6 } }), ['b'], 'told')
      assert.deepEqual(await named({ state: 'granted', notOverAt: T + 50 }), ['b', 'a'])
      const wrong = store.permits({}, { before: 'x', limit: 2 })
      assertHas(await rejection(wrong), { statusCode: 400 })
    },
  },
  {
    title: 'removes permits that are over, with their entries, and none before its time',
    async run({ store }) {
      const slot = 'a slot'
      await decide(store, permitOf('a', { slot, overAt: T + 10 }))
      await decide(store, permitOf('b', { slot, overAt: T + 20 }))
      await decide(store, permitOf('b', { slot, version: 2, overAt: T + 10 }))
      await decide(store, permitOf('c', { overAt: T + 11 }))
      await decide(store, permitOf('d'))
      assert.equal(await removeOld(store, T + 11, 99), 2)
      assertSame(await idsOf(store), [idOf('c'), idOf('d')])
      assert.equal(await store.slotHolder(slot), undefined)
      assert.deepEqual(times(await readOn(store)), [undefined, undefined, undefined, T, T])
      await removeOld(store, T + 1_000_000, 99)
      assert.deepEqual(await idsOf(store), [idOf('d')])
      // The slot is free again, and a removed permit is not decided on.
      assertHas(await writeNow(store, decisionOf(permitOf('b', { slot }), 3)), { is: 'changed' })
      assert.equal(await decide(store, permitOf('f', { slot })), true)
    },
  },
  {
    title: 'decides once of two callers at the same moment, and makes one permit of a slot',
    async run({ store, another }) {
      const processes = await Promise.all([another(), another()])
      for (let number = 0; number < 50; number += 1) {
        const [name, slot] = [`race ${number}`, `slot ${number}`]
        const slots = [{ slot, version: 0 }]
        const opened = await Promise.all(
          processes.map((each, index) =>
            writeNow(each, decisionOf(permitOf(`${name} ${index}`, { slot }), 0, slots)),
          ),
        )
        assertSame(
          opened.map(({ is }) => is),
          ['changed', 'stored'],
        )
        const holder = (await store.slotHolder(slot)) ?? assert.fail()
        const { last, ...permit } = holder
        const answers = await Promise.all(
          processes.map((each, index) => {
            const data = asciiJson({ by: index })
            return writeNow(each, decisionOf({ ...permit, version: 2, data }, last))
          }),
        )
        const winner = answers.findIndex(({ is }) => is === 'stored')
        assertSame(
          answers.map(({ is }) => is),
          ['changed', 'stored'],
        )
        assertHas(await store.permit(permit.id), { data: asciiJson({ by: winner }) })
      }
      await assertWholeLog(store)
    },
  },
]
