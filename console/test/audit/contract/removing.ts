import { expect } from 'chai'
import { hashOf } from '../../../src/audit/chain.ts'
import type { AuditStore } from '../../../src/audit/store.ts'
import {
  act,
  type ContractCase,
  exported,
  idOf,
  issued,
  namesOf,
  put,
  readOn,
  replayed,
  T,
  times,
  used,
  writer,
} from './support.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

/** Removes until nothing is left to remove. */
async function removeAll(store: AuditStore, before: number, limit = 2): Promise<number> {
  let all = 0
  for (;;) {
    const removed = await store.remove(before, limit)
    if (removed === 0) return all
    all += removed
    if (all > 1000) expect.fail('it removes without an end')
  }
}

export const removing: readonly ContractCase[] = [
  {
    title: 'removes rows whose last entry is before the time, with the texts of their entries',
    async run({ store }) {
      for (const [index, name] of NAMES.entries()) {
        await put(store, issued(name, T + index), used(name, T + 10 * index))
      }
      const before = await readOn(store)
      expect(await removeAll(store, T + 20)).to.equal(2 * (1 + 2))
      expect(await namesOf(store, NAMES)).to.deep.equal(['e', 'd', 'c'])
      for (const name of ['a', 'b']) {
        expect(await store.row(idOf(name))).to.equal(undefined)
        expect(await store.timeline(idOf(name), { limit: 9 })).to.deep.equal([])
      }
      expect(await store.countNewer({}, { at: 0, id: idOf('a') }, T)).to.equal(3)
      expect(await namesOf(store, NAMES, { text: 'alice' })).to.deep.equal(['e', 'd', 'c'])
      const after = await readOn(store)
      expect(after.map(({ text }) => text === undefined)).to.deep.equal(
        before.map(({ row }) => row === idOf('a') || row === idOf('b')),
      )
      const link = ({ writer: by, sequence, digest, hash, cursor }: (typeof after)[number]) => {
        return { by, sequence, digest, hash, cursor }
      }
      expect(after.map(link)).to.deep.equal(before.map(link))
      expect(await removeAll(store, T + 20)).to.equal(0)
    },
  },
  {
    title: 'removes at most so many rows at once, the oldest first or not, and goes on',
    async run({ store }) {
      for (const name of NAMES) await put(store, issued(name, T), used(name, T + 1))
      expect(await store.remove(T + 9, 2)).to.equal(2 * (1 + 2))
      expect(await namesOf(store, NAMES)).to.have.length(3)
      expect(await store.remove(T + 9, 100)).to.equal(3 * (1 + 2))
      expect(await store.remove(T + 9, 100)).to.equal(0)
      expect(await namesOf(store, NAMES)).to.deep.equal([])
    },
  },
  {
    title: 'keeps a row on hold with all its entries, until it is released',
    async run({ store }) {
      for (const [index, name] of NAMES.entries()) await put(store, issued(name, T + index))
      await put(store, act('held', 'b', T + 10), act('held', 'c', T + 10))
      await put(store, act('released', 'c', T + 11))
      await removeAll(store, T + 1000)
      expect(await namesOf(store, NAMES)).to.deep.equal(['b'])
      expect(times(await store.timeline(idOf('b'), { limit: 9 }))).to.deep.equal([T + 1, T + 10])
      await put(store, act('released', 'b', T + 20))
      await removeAll(store, T + 20)
      expect(await namesOf(store, NAMES)).to.deep.equal(['b'])
      await removeAll(store, T + 21)
      expect(await namesOf(store, NAMES)).to.deep.equal([])
    },
  },
  {
    title: 'removes old entries without a row, and no young ones',
    async run({ store }) {
      await put(store, exported(T), exported(T + 1), exported(T + 2))
      expect(await removeAll(store, T + 2)).to.equal(2)
      expect(times(await readOn(store))).to.deep.equal([undefined, undefined, T + 2])
    },
  },
  {
    title: 'keeps what a repetition made young again',
    async run({ store }) {
      const one = writer(store)
      await one.write(replayed('a', T), replayed('b', T))
      await one.write(replayed('a', T + 50))
      await removeAll(store, T + 50)
      expect(await namesOf(store, NAMES)).to.deep.equal(['a'])
      expect(times(await readOn(store))).to.deep.equal([T, undefined])
    },
  },
  {
    title: 'says of each chain what is removed, and keeps chains that can be verified',
    async run({ store }) {
      const [one, two, three] = [writer(store), writer(store), writer(store)]
      await one.write(issued('a', T), issued('b', T + 100), used('a', T + 1), issued('c', T + 2))
      await one.write(used('b', T + 101), used('c', T + 3), issued('d', T + 200))
      await two.write(used('b', T + 100), exported(T + 5), used('b', T + 102))
      await three.write(issued('e', T + 300))
      await removeAll(store, T + 50)
      const removed = await store.removed()
      const of = (name: string) => removed.find(({ writer: by }) => by === name)
      expect(of(one.name)).to.deep.equal({ writer: one.name, upTo: 6, except: [2, 5] })
      expect(of(two.name)).to.deep.equal({ writer: two.name, upTo: 2, except: [1] })
      expect(of(three.name)).to.equal(undefined)
      const stored = await readOn(store)
      for (const { name } of [one, two, three]) {
        let hash: string = name
        for (const link of stored.filter(({ writer: by }) => by === name)) {
          hash = hashOf(hash, link.digest)
          expect(link.hash).to.equal(hash)
        }
      }
      expect((await store.heads()).map(({ sequence }) => sequence).toSorted()).to.deep.equal([
        1, 3, 7,
      ])
      await removeAll(store, T + 1000)
      expect((await store.heads()).map(({ sequence }) => sequence).toSorted()).to.deep.equal([
        1, 3, 7,
      ])
      for (const { except } of await store.removed()) expect(except).to.deep.equal([])
    },
  },
  {
    title: 'begins a removed row anew, also by a repetition, and links on',
    async run({ store }) {
      const one = writer(store)
      const { records } = await one.write(issued('a', T), replayed('a', T + 1))
      await removeAll(store, T + 50)
      const [, replay] = records
      const again = one.next([replayed('a', T + 100)])
      expect(again.repetitions.map(({ repeatKey }) => repeatKey)).to.deep.equal([replay?.repeatKey])
      await store.append(again)
      expect(await store.row(idOf('a'))).to.include({ at: T + 100, replays: 1 })
      expect(await store.timeline(idOf('a'), { limit: 9 })).to.deep.equal([])
      expect(times(await readOn(store))).to.deep.equal([undefined, undefined])
      await one.write(used('a', T + 101))
      expect(await store.row(idOf('a'))).to.include({ at: T + 100, replays: 1, reads: 1 })
      expect(times(await store.timeline(idOf('a'), { limit: 9 }))).to.deep.equal([T + 101])
      expect((await store.heads())[0]).to.include({ sequence: 3 })
    },
  },
  {
    title: 'keeps checkpoints, and returns the newest first',
    async run({ store }) {
      await store.keepCheckpoint('e30.one.x', T + 1)
      await store.keepCheckpoint(`e30.${'x'.repeat(20_000)}.x`, T + 3)
      await store.keepCheckpoint('e30.two.x', T + 2)
      const all = await store.checkpoints(10)
      expect(all.map((jws) => jws.length)).to.deep.equal([20_006, 9, 9])
      expect(await store.checkpoints(2)).to.deep.equal(all.slice(0, 2))
      expect(all[1]).to.equal('e30.two.x')
    },
  },
]
