import assert from 'node:assert/strict'
import type {
  AuditStore,
  Decision,
  FiledPermit,
  PermitFilter,
} from 'oidc-provider-impersonation-console'
import { entryDigestOf, hashOf } from 'oidc-provider-impersonation-verify/chain'
import { asciiJson, type StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertHas,
  assertSame,
  assertWholeChains,
  exported,
  found,
  idOf,
  issued,
  put,
  readOn,
  rejection,
  T,
  times,
  writer,
} from './support.ts'

/** A permit in its first version. */
export function permitOf(name: string, more: Partial<StoredPermit> = {}): StoredPermit {
  return {
    ...{ id: idOf(name), version: 1, at: T, customer: 'alice', operator: 'olivia' },
    ...{ slot: undefined, state: 'requested', isReviewDue: false, overAt: undefined },
    data: asciiJson({ name, note: 'Zoë asked' }),
    ...more,
  }
}

/** A decision with an entry about the permit. */
export function decisionOf(
  { next }: Pick<ReturnType<typeof writer>, 'next'>,
  permit: StoredPermit,
  slotHolder?: Decision['slotHolder'],
): Decision {
  const time = permit.at + permit.version - 1
  const batch = next([{ ...act('held', '', time), id: permit.id }])
  return { batch, permit, replaces: permit.version - 1, slotHolder }
}

/** Decides with a chain of its own. */
export function decide(
  store: AuditStore,
  permit: StoredPermit,
  slotHolder?: Decision['slotHolder'],
): Promise<boolean> {
  return store.decide(decisionOf(writer(store), permit, slotHolder))
}

async function idsOf(store: AuditStore, filter: PermitFilter = {}, limit = 2) {
  const ids: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await store.permits(filter, { before, limit })
    ids.push(...page.permits.map(({ id }) => id))
    if (ids.length > 100) assert.fail('the pages do not end')
    if (page.next === undefined) return ids
    assert.equal(page.permits.length, limit, 'a page that is not the last')
    before = page.next
  }
}

export const permitCases: readonly AuditCase[] = [
  {
    title: 'stores a permit and its entry in one step, and replaces the version that was looked at',
    async run({ store, another }) {
      const first = permitOf('a')
      assert.equal(await store.permit(first.id), undefined)
      assert.equal(await decide(store, first), true)
      assert.deepEqual(await store.permit(first.id), first)
      const second = permitOf('a', { version: 2, state: 'granted', overAt: T + 99, data: '{}' })
      const other = await another()
      assert.equal(await decide(other, second), true)
      assert.equal(await decide(store, { ...second, state: 'refused' }), false)
      assert.equal(await decide(store, first), false)
      assert.equal(await decide(store, permitOf('a', { version: 4 })), false)
      assert.equal(await decide(store, permitOf('b', { version: 2 })), false)
      assert.deepEqual(await store.permit(first.id), second)
      assert.equal(await other.permit(idOf('b')), undefined)
      assert.deepEqual(times(await readOn(store)), [T, T + 1])
      await assertWholeChains(store)
    },
  },
  {
    title: 'changes nothing when a decision comes again, and gives the same answer',
    async run({ store }) {
      const one = writer(store)
      const first = decisionOf(one, permitOf('a'))
      assert.equal(await store.decide(first), true)
      assert.equal(await decide(store, permitOf('a', { version: 2 })), true)
      assert.equal(await store.decide(first), true)
      assert.equal((await store.permit(idOf('a')))?.version, 2)
      const late = decisionOf(writer(store), permitOf('a', { version: 2, state: 'revoked' }))
      for (let time = 0; time < 2; time += 1) assert.equal(await store.decide(late), false)
      const again = decisionOf(writer(store), permitOf('b'))
      assert.deepEqual(await Promise.all([store.decide(again), store.decide(again)]), [true, true])
      assert.deepEqual(times(await readOn(store)), [T, T + 1, T])
      await assertWholeChains(store)
    },
  },
  {
    title: 'makes a permit where the newest of its slot is the one that was looked at',
    async run({ store }) {
      const slot = 'slot of alice & olivia: 1'
      const [a, b] = [permitOf('a', { slot }), permitOf('b', { slot, at: T - 50 })]
      assert.equal(await store.slotHolder(slot), undefined)
      assert.equal(await decide(store, a, { id: idOf('x'), version: 1 }), false)
      assert.equal(await decide(store, a), true)
      assert.equal(await decide(store, b), false)
      assert.equal(await decide(store, b, { id: idOf('x'), version: 1 }), false)
      const refused = { ...a, version: 2, state: 'refused' as const }
      assert.equal(await decide(store, refused), true)
      assert.equal(await decide(store, b, a), false)
      assert.deepEqual(await store.slotHolder(slot), refused)
      assert.equal(await decide(store, b, refused), true)
      // The one that was stored last: clocks differ.
      assert.deepEqual(await store.slotHolder(slot), b)
      assert.equal(await decide(store, permitOf('c', { slot }), refused), false)
      // A decision about a permit does not look at its slot.
      assert.equal(await decide(store, { ...a, version: 3 }), true)
      assert.deepEqual(await store.slotHolder(slot), b)
      assert.equal(await decide(store, permitOf('d', { slot: 'other' })), true)
      assert.equal(await decide(store, permitOf('e')), true)
      assert.equal(await decide(store, permitOf('f')), true)
      assert.equal((await readOn(store)).length, 7)
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
        permitOf('refused', { ...granted, state: 'refused' }),
        permitOf('of bob', { ...granted, customer: 'bob' }),
        permitOf('by oscar', { ...granted, operator: 'oscar' }),
      ]
      const [old] = all
      for (const permit of all) {
        assert.equal(await decide(store, permit, permit.id === idOf('new') ? old : undefined), true)
      }
      const slots = ['one', 'two', 'nobody has it']
      const wanted = { customer: 'alice', operator: 'olivia', notOverAt: T }
      const permitted = [idOf('granted'), idOf('for good')]
      const idsIn = async (asked: Parameters<AuditStore['permitsInForce']>[0]) =>
        (await store.permitsInForce(asked)).map(({ id }) => id)
      assertSame(await idsIn({ slots }), [idOf('new'), idOf('other')])
      assertSame(await idsIn({ slots: [], granted: wanted }), permitted)
      assertSame(await idsIn({ slots: ['two'], granted: wanted }), [idOf('other'), ...permitted])
      assert.deepEqual(await store.permitsInForce({ slots: ['two'] }), [all[2]])
    },
  },
  {
    title: 'stores nothing of a decision whose time is none',
    async run({ store }) {
      const one = writer(store)
      const bad = decisionOf(one, permitOf('a', { at: T + 0.5 }))
      assertHas(await rejection(store.decide(bad)), { code: 'ERR_AUDIT_UNSTORABLE' })
      assert.equal(await store.permit(idOf('a')), undefined)
      assert.deepEqual(await readOn(store), [])
    },
  },
  {
    title: 'finds permits by what they are, the newest first, in pages',
    async run({ store }) {
      const long = 'x'.repeat(3000)
      const all = [
        permitOf('a', { at: T + 1, customer: 'bob', overAt: T + 50, noticeDueAt: T + 5 }),
        permitOf('b', { at: T + 2, operator: undefined, state: 'granted', noticeDueAt: T + 4 }),
        permitOf('c', { at: T + 3, isReviewDue: true, state: 'revoked', overAt: T + 60 }),
        permitOf('d', { at: T + 3, operator: long, customer: long }),
        permitOf('e', { at: T, state: 'refused', overAt: T + 50 }),
        permitOf('f', { at: T - 1, state: 'paused', customer: undefined, overAt: T + 45 }),
      ]
      for (const permit of all) assert.equal(await decide(store, permit), true)
      const named = async (filter: PermitFilter) =>
        (await idsOf(store, filter)).map((id) => all.find((each) => each.id === id)?.data[9])
      const [third, second] = [...(await named({ notOverAt: T + 1 }))].slice(0, 2)
      assert.deepEqual([third, second].toSorted(), ['c', 'd'])
      const newest = idOf('c') > idOf('d') ? ['c', 'd'] : ['d', 'c']
      assert.deepEqual(await named({}), [...newest, 'b', 'a', 'e', 'f'])
      assert.deepEqual(await named({ customer: 'bob' }), ['a'])
      assert.deepEqual(await named({ customer: long }), ['d'])
      assert.deepEqual(await named({ operator: 'olivia' }), ['c', 'a', 'e', 'f'])
      assert.deepEqual(await named({ state: 'paused', notOverAt: T + 44 }), ['f'])
      assert.deepEqual(await named({ operator: long, state: 'requested' }), ['d'])
      assert.deepEqual(await named({ operator: 'nobody' }), [])
      assert.deepEqual(await named({ state: 'requested' }), ['d', 'a'])
      assert.deepEqual(await named({ from: T + 2 }), [...newest, 'b'])
      assert.deepEqual(await named({ to: T + 2 }), ['a', 'e', 'f'])
      assert.deepEqual(await named({ from: T, to: T + 2, state: 'requested' }), ['a'])
      assert.deepEqual(await named({ isReviewDue: true }), ['c'])
      assert.deepEqual(await named({ notOverAt: T + 50 }), [...newest, 'b'])
      assert.deepEqual(await named({ notOverAt: T + 49 }), [...newest, 'b', 'a', 'e'])
      assert.deepEqual(await named({ noticeDueBefore: T + 4 }), [])
      assert.deepEqual(await named({ noticeDueBefore: T + 5 }), ['b'])
      assert.deepEqual(await named({ noticeDueBefore: T + 6 }), ['b', 'a'])
      const oldest: string[] = []
      for (let before: string | undefined; ; ) {
        const page = await store.permits({}, { before, limit: 2, oldestFirst: true })
        oldest.push(...page.permits.map(({ id }) => id))
        before = page.next
        if (before === undefined) break
      }
      assert.deepEqual(oldest, (await idsOf(store, {})).toReversed())
      const filed: FiledPermit[] = []
      for (let before: string | undefined; ; ) {
        const page = await store.filedPermits({ before, limit: 2 })
        filed.push(...page.permits)
        before = page.next
        if (before === undefined) break
      }
      assert.deepEqual(
        filed.map(({ permit }) => permit),
        (await store.permits({}, { limit: 50 })).permits,
      )
      for (const { permit, entries } of filed) {
        const timeline = await store.timeline(permit.id, { limit: 50 })
        assert.equal(entries.length, 1)
        assert.deepEqual(
          entries,
          timeline.map(({ writer, sequence }) => [writer, sequence]),
        )
      }
      // What a decision changes is found by what it is now.
      const now = {
        version: 2,
        at: T + 1,
        customer: 'bob',
        state: 'granted',
        overAt: T + 70,
      } as const
      assert.equal(await decide(store, permitOf('a', now)), true)
      assert.deepEqual(await named({ noticeDueBefore: T + 6 }), ['b'], 'told')
      assert.deepEqual(await named({ state: 'requested' }), ['d'])
      assert.deepEqual(await named({ state: 'granted', notOverAt: T + 50 }), ['b', 'a'])
      const wrong = store.permits({}, { before: 'x', limit: 2 })
      assertHas(await rejection(wrong), { code: 'ERR_AUDIT_CURSOR' })
    },
  },
  {
    title: 'has the entries of permits in their timeline and chain, and no row of them',
    async run({ store }) {
      await put(store, issued('x', T))
      await decide(store, permitOf('a'))
      await decide(store, permitOf('b'))
      await decide(store, permitOf('a', { version: 2 }))
      const timeline = await store.timeline(idOf('a'), { limit: 9 })
      assert.deepEqual(times(timeline), [T, T + 1])
      for (const { writer: by, hash, digest, text, row } of timeline) {
        assert.equal(row, idOf('a'))
        assert.equal(hash, hashOf(by, entryDigestOf(text ?? '', idOf('a'))))
        assert.equal(digest, entryDigestOf(text ?? '', idOf('a')))
      }
      assert.deepEqual(
        (await found(store)).map(({ id }) => id),
        [idOf('x')],
      )
      assert.equal((await store.countNewer({}, { at: 0, id: idOf('x') }, T)).count, 1)
      assert.deepEqual(
        (await store.filedRows({ limit: 9 })).rows.map(({ id }) => id),
        [idOf('x')],
      )
      assert.equal(await store.row(idOf('a')), undefined)
      assert.equal((await store.heads()).length, 4)
    },
  },
  {
    title: 'removes permits that are over, with their entries, and none before its time',
    async run({ store }) {
      const slot = 'a slot'
      await decide(store, permitOf('a', { slot, overAt: T + 10 }))
      await decide(store, permitOf('b', { slot, overAt: T + 20 }), permitOf('a'))
      await decide(store, permitOf('b', { slot, version: 2, overAt: T + 10 }))
      await decide(store, permitOf('c', { overAt: T + 11 }))
      await decide(store, permitOf('d'))
      const begun = writer(store)
      const batch = begun.next([exported(T), { ...act('held', '', T), id: idOf('e') }])
      const permit = permitOf('e', { overAt: T + 5 })
      assert.equal(await store.decide({ batch, permit, replaces: 0, slotHolder: undefined }), true)
      const before = await readOn(store)
      assert.equal(await store.remove(T + 11, 99), 3 + 4)
      assert.deepEqual((await idsOf(store)).toSorted(), [idOf('c'), idOf('d')].toSorted())
      assert.equal(await store.slotHolder(slot), undefined)
      for (const name of ['a', 'b', 'e']) {
        assert.equal(await store.permit(idOf(name)), undefined)
        assert.deepEqual(await store.timeline(idOf(name), { limit: 9 }), [])
      }
      for (const filter of [
        { customer: 'alice' },
        { operator: 'olivia' },
        { state: 'requested' },
      ]) {
        assert.equal((await idsOf(store, filter as PermitFilter)).length, 2)
      }
      const after = await readOn(store)
      assert.deepEqual(
        after.map(({ hash, digest }) => hash + digest),
        before.map(({ hash, digest }) => hash + digest),
      )
      assert.deepEqual(times(after), [...[undefined, undefined, undefined], T, T, T, undefined])
      assert.equal(
        (await store.removed()).every(({ upTo }) => upTo > 0),
        true,
      )
      await store.remove(T + 1_000_000, 99)
      assert.deepEqual(await idsOf(store), [idOf('d')])
      // The slot is free again, and a removed permit is not decided on.
      assert.equal(await decide(store, permitOf('b', { slot, version: 3 })), false)
      assert.equal(await decide(store, permitOf('f', { slot })), true)
    },
  },
  {
    title: 'removes at most so many permits at once',
    async run({ store }) {
      for (const name of ['a', 'b', 'c']) await decide(store, permitOf(name, { overAt: T }))
      assert.equal(await store.remove(T + 1, 2), 2 * 2)
      assert.equal((await idsOf(store)).length, 1)
    },
  },
  {
    title: 'decides once of two callers at the same moment, a hundred times',
    async run({ store, another }) {
      const [one, two] = await Promise.all([another(), another()])
      for (let number = 0; number < 100; number += 1) {
        const name = `race ${number}`
        await decide(store, permitOf(name))
        const leads = [one, two].map((process, index) => {
          const data = asciiJson({ by: index })
          return decide(process, permitOf(name, { version: 2, state: 'granted', data }))
        })
        const answers = await Promise.all(leads)
        assert.deepEqual(answers.toSorted(), [false, true])
        const seen = await (answers[0] ? two : one).permit(idOf(name))
        assert.equal(seen?.data, asciiJson({ by: answers.indexOf(true) }))
      }
      assert.equal((await readOn(store, undefined, 500)).length, 200)
      await assertWholeChains(store)
    },
  },
  {
    title: 'makes one permit of a slot of several callers at the same moment',
    async run({ another }) {
      const processes = await Promise.all([another(), another(), another()])
      const answers = await Promise.all(
        processes.map((process, index) => decide(process, permitOf(`p${index}`, { slot: 'one' }))),
      )
      assert.equal(answers.filter(Boolean).length, 1)
    },
  },
  {
    title: 'removes one permit with its entries, where it may go as it is then',
    async run({ store, another }) {
      const slot = 'slot'
      const [a, b] = [permitOf('a', { slot }), permitOf('b')]
      assert.equal(await decide(store, a), true)
      assert.equal(await decide(store, b), true)
      const second = { ...a, version: 2, overAt: T + 99 }
      assert.equal(await decide(store, second), true)
      const other = await another()
      const seen: StoredPermit[] = []
      const isSeen = (permit: StoredPermit) => seen.push(permit) > 0
      assert.equal(await other.removePermit(a.id, ({ version }) => version === 1), false)
      assert.deepEqual(await store.permit(a.id), second)
      assert.equal(await other.removePermit(a.id, isSeen), true)
      assert.deepEqual(seen, [second])
      assert.equal(await store.permit(a.id), undefined)
      assert.equal(await store.slotHolder(slot), undefined)
      assert.deepEqual(await idsOf(store, { customer: 'alice' }), [b.id])
      assert.deepEqual(await store.timeline(a.id, { limit: 9 }), [])
      assert.deepEqual(times(await readOn(store)), [undefined, T, undefined])
      assert.equal(await store.removePermit(a.id, isSeen), false)
      assert.equal(await store.removePermit("' OR 1=1 --", isSeen), false)
      assert.equal(await store.remove(T + 1000, 9), 0)
    },
  },
]
