import { expect } from 'chai'
import { entryDigestOf, hashOf } from 'oidc-provider-impersonation-verify/chain'
import { asciiJson, type StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { Decision, FiledPermit, PermitFilter } from '../../../../src/audit/permit-store.ts'
import type { AuditStore } from '../../../../src/audit/store.ts'
import {
  act,
  type ContractCase,
  expectWholeChains,
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
    if (ids.length > 100) expect.fail('the pages do not end')
    if (page.next === undefined) return ids
    expect(page.permits, 'a page that is not the last').to.have.length(limit)
    before = page.next
  }
}

export const permits: readonly ContractCase[] = [
  {
    title: 'stores a permit and its entry in one step, and replaces the version that was looked at',
    async run({ store, another }) {
      const first = permitOf('a')
      expect(await store.permit(first.id)).to.equal(undefined)
      expect(await decide(store, first)).to.equal(true)
      expect(await store.permit(first.id)).to.deep.equal(first)
      const second = permitOf('a', { version: 2, state: 'granted', overAt: T + 99, data: '{}' })
      const other = await another()
      expect(await decide(other, second)).to.equal(true)
      expect(await decide(store, { ...second, state: 'refused' })).to.equal(false)
      expect(await decide(store, first)).to.equal(false)
      expect(await decide(store, permitOf('a', { version: 4 }))).to.equal(false)
      expect(await decide(store, permitOf('b', { version: 2 }))).to.equal(false)
      expect(await store.permit(first.id)).to.deep.equal(second)
      expect(await other.permit(idOf('b'))).to.equal(undefined)
      expect(times(await readOn(store))).to.deep.equal([T, T + 1])
      await expectWholeChains(store)
    },
  },
  {
    title: 'changes nothing when a decision comes again, and gives the same answer',
    async run({ store }) {
      const one = writer(store)
      const first = decisionOf(one, permitOf('a'))
      expect(await store.decide(first)).to.equal(true)
      expect(await decide(store, permitOf('a', { version: 2 }))).to.equal(true)
      expect(await store.decide(first)).to.equal(true)
      expect((await store.permit(idOf('a')))?.version).to.equal(2)
      const late = decisionOf(writer(store), permitOf('a', { version: 2, state: 'revoked' }))
      for (let time = 0; time < 2; time += 1) expect(await store.decide(late)).to.equal(false)
      const again = decisionOf(writer(store), permitOf('b'))
      expect(await Promise.all([store.decide(again), store.decide(again)])).to.deep.equal([
        true,
        true,
      ])
      expect(times(await readOn(store))).to.deep.equal([T, T + 1, T])
      await expectWholeChains(store)
    },
  },
  {
    title: 'makes a permit where the newest of its slot is the one that was looked at',
    async run({ store }) {
      const slot = 'slot of alice & olivia: 1'
      const [a, b] = [permitOf('a', { slot }), permitOf('b', { slot, at: T - 50 })]
      expect(await store.slotHolder(slot)).to.equal(undefined)
      expect(await decide(store, a, { id: idOf('x'), version: 1 })).to.equal(false)
      expect(await decide(store, a)).to.equal(true)
      expect(await decide(store, b)).to.equal(false)
      expect(await decide(store, b, { id: idOf('x'), version: 1 })).to.equal(false)
      const refused = { ...a, version: 2, state: 'refused' as const }
      expect(await decide(store, refused)).to.equal(true)
      expect(await decide(store, b, a)).to.equal(false)
      expect(await store.slotHolder(slot)).to.deep.equal(refused)
      expect(await decide(store, b, refused)).to.equal(true)
      // The one that was stored last: clocks differ.
      expect(await store.slotHolder(slot)).to.deep.equal(b)
      expect(await decide(store, permitOf('c', { slot }), refused)).to.equal(false)
      // A decision about a permit does not look at its slot.
      expect(await decide(store, { ...a, version: 3 })).to.equal(true)
      expect(await store.slotHolder(slot)).to.deep.equal(b)
      expect(await decide(store, permitOf('d', { slot: 'other' }))).to.equal(true)
      expect(await decide(store, permitOf('e'))).to.equal(true)
      expect(await decide(store, permitOf('f'))).to.equal(true)
      expect(await readOn(store)).to.have.length(7)
    },
  },
  {
    title: 'stores nothing of a decision whose time is none',
    async run({ store }) {
      const one = writer(store)
      const bad = decisionOf(one, permitOf('a', { at: T + 0.5 }))
      expect(await rejection(store.decide(bad))).to.have.property('code', 'ERR_AUDIT_UNSTORABLE')
      expect(await store.permit(idOf('a'))).to.equal(undefined)
      expect(await readOn(store)).to.deep.equal([])
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
      for (const permit of all) expect(await decide(store, permit)).to.equal(true)
      const named = async (filter: PermitFilter) =>
        (await idsOf(store, filter)).map((id) => all.find((each) => each.id === id)?.data[9])
      const [third, second] = [...(await named({ notOverAt: T + 1 }))].slice(0, 2)
      expect([third, second].toSorted()).to.deep.equal(['c', 'd'])
      const newest = idOf('c') > idOf('d') ? ['c', 'd'] : ['d', 'c']
      expect(await named({})).to.deep.equal([...newest, 'b', 'a', 'e', 'f'])
      expect(await named({ customer: 'bob' })).to.deep.equal(['a'])
      expect(await named({ customer: long })).to.deep.equal(['d'])
      expect(await named({ operator: 'olivia' })).to.deep.equal(['c', 'a', 'e', 'f'])
      expect(await named({ state: 'paused', notOverAt: T + 44 })).to.deep.equal(['f'])
      expect(await named({ operator: long, state: 'requested' })).to.deep.equal(['d'])
      expect(await named({ operator: 'nobody' })).to.deep.equal([])
      expect(await named({ state: 'requested' })).to.deep.equal(['d', 'a'])
      expect(await named({ isReviewDue: true })).to.deep.equal(['c'])
      expect(await named({ notOverAt: T + 50 })).to.deep.equal([...newest, 'b'])
      expect(await named({ notOverAt: T + 49 })).to.deep.equal([...newest, 'b', 'a', 'e'])
      expect(await named({ noticeDueBefore: T + 4 })).to.deep.equal([])
      expect(await named({ noticeDueBefore: T + 5 })).to.deep.equal(['b'])
      expect(await named({ noticeDueBefore: T + 6 })).to.deep.equal(['b', 'a'])
      const oldest: string[] = []
      for (let before: string | undefined; ; ) {
        const page = await store.permits({}, { before, limit: 2, oldestFirst: true })
        oldest.push(...page.permits.map(({ id }) => id))
        before = page.next
        if (before === undefined) break
      }
      expect(oldest).to.deep.equal((await idsOf(store, {})).toReversed())
      const filed: FiledPermit[] = []
      for (let before: string | undefined; ; ) {
        const page = await store.filedPermits({ before, limit: 2 })
        filed.push(...page.permits)
        before = page.next
        if (before === undefined) break
      }
      expect(filed.map(({ permit }) => permit)).to.deep.equal(
        (await store.permits({}, { limit: 50 })).permits,
      )
      for (const { permit, entries } of filed) {
        const timeline = await store.timeline(permit.id, { limit: 50 })
        expect(entries).to.have.length(1)
        expect(entries).to.deep.equal(timeline.map(({ writer, sequence }) => [writer, sequence]))
      }
      // What a decision changes is found by what it is now.
      const now = {
        version: 2,
        at: T + 1,
        customer: 'bob',
        state: 'granted',
        overAt: T + 70,
      } as const
      expect(await decide(store, permitOf('a', now))).to.equal(true)
      expect(await named({ noticeDueBefore: T + 6 }), 'told').to.deep.equal(['b'])
      expect(await named({ state: 'requested' })).to.deep.equal(['d'])
      expect(await named({ state: 'granted', notOverAt: T + 50 })).to.deep.equal(['b', 'a'])
      const wrong = store.permits({}, { before: 'x', limit: 2 })
      expect(await rejection(wrong)).to.have.property('code', 'ERR_AUDIT_CURSOR')
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
      expect(times(timeline)).to.deep.equal([T, T + 1])
      for (const { writer: by, hash, digest, text, row } of timeline) {
        expect(row).to.equal(idOf('a'))
        expect(hash).to.equal(hashOf(by, entryDigestOf(text ?? '', idOf('a'))))
        expect(digest).to.equal(entryDigestOf(text ?? '', idOf('a')))
      }
      expect((await found(store)).map(({ id }) => id)).to.deep.equal([idOf('x')])
      expect(await store.countNewer({}, { at: 0, id: idOf('x') }, T)).to.equal(1)
      expect((await store.filedRows({ limit: 9 })).rows.map(({ id }) => id)).to.deep.equal([
        idOf('x'),
      ])
      expect(await store.row(idOf('a'))).to.equal(undefined)
      expect(await store.heads()).to.have.length(4)
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
      expect(await store.decide({ batch, permit, replaces: 0, slotHolder: undefined })).to.equal(
        true,
      )
      const before = await readOn(store)
      expect(await store.remove(T + 11, 99)).to.equal(3 + 4)
      expect((await idsOf(store)).toSorted()).to.deep.equal([idOf('c'), idOf('d')].toSorted())
      expect(await store.slotHolder(slot)).to.equal(undefined)
      for (const name of ['a', 'b', 'e']) {
        expect(await store.permit(idOf(name))).to.equal(undefined)
        expect(await store.timeline(idOf(name), { limit: 9 })).to.deep.equal([])
      }
      for (const filter of [
        { customer: 'alice' },
        { operator: 'olivia' },
        { state: 'requested' },
      ]) {
        expect(await idsOf(store, filter as PermitFilter)).to.have.length(2)
      }
      const after = await readOn(store)
      expect(after.map(({ hash, digest }) => hash + digest)).to.deep.equal(
        before.map(({ hash, digest }) => hash + digest),
      )
      expect(times(after)).to.deep.equal([...[undefined, undefined, undefined], T, T, T, undefined])
      expect((await store.removed()).every(({ upTo }) => upTo > 0)).to.equal(true)
      await store.remove(T + 1_000_000, 99)
      expect(await idsOf(store)).to.deep.equal([idOf('d')])
      // The slot is free again, and a removed permit is not decided on.
      expect(await decide(store, permitOf('b', { slot, version: 3 }))).to.equal(false)
      expect(await decide(store, permitOf('f', { slot }))).to.equal(true)
    },
  },
  {
    title: 'removes at most so many permits at once',
    async run({ store }) {
      for (const name of ['a', 'b', 'c']) await decide(store, permitOf(name, { overAt: T }))
      expect(await store.remove(T + 1, 2)).to.equal(2 * 2)
      expect(await idsOf(store)).to.have.length(1)
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
        expect(answers.toSorted()).to.deep.equal([false, true])
        const seen = await (answers[0] ? two : one).permit(idOf(name))
        expect(seen?.data).to.equal(asciiJson({ by: answers.indexOf(true) }))
      }
      expect(await readOn(store, undefined, 500)).to.have.length(200)
      await expectWholeChains(store)
    },
  },
  {
    title: 'makes one permit of a slot of several callers at the same moment',
    async run({ another }) {
      const processes = await Promise.all([another(), another(), another()])
      const answers = await Promise.all(
        processes.map((process, index) => decide(process, permitOf(`p${index}`, { slot: 'one' }))),
      )
      expect(answers.filter(Boolean)).to.have.length(1)
    },
  },
  {
    title: 'removes one permit with its entries, where it may go as it is then',
    async run({ store, another }) {
      const slot = 'slot'
      const [a, b] = [permitOf('a', { slot }), permitOf('b')]
      expect(await decide(store, a)).to.equal(true)
      expect(await decide(store, b)).to.equal(true)
      const second = { ...a, version: 2, overAt: T + 99 }
      expect(await decide(store, second)).to.equal(true)
      const other = await another()
      const seen: StoredPermit[] = []
      const isSeen = (permit: StoredPermit) => seen.push(permit) > 0
      expect(await other.removePermit(a.id, ({ version }) => version === 1)).to.equal(false)
      expect(await store.permit(a.id)).to.deep.equal(second)
      expect(await other.removePermit(a.id, isSeen)).to.equal(true)
      expect(seen).to.deep.equal([second])
      expect(await store.permit(a.id)).to.equal(undefined)
      expect(await store.slotHolder(slot)).to.equal(undefined)
      expect(await idsOf(store, { customer: 'alice' })).to.deep.equal([b.id])
      expect(await store.timeline(a.id, { limit: 9 })).to.deep.equal([])
      expect(times(await readOn(store))).to.deep.equal([undefined, T, undefined])
      expect(await store.removePermit(a.id, isSeen)).to.equal(false)
      expect(await store.removePermit("' OR 1=1 --", isSeen)).to.equal(false)
      expect(await store.remove(T + 1000, 9)).to.equal(0)
    },
  },
]
