import type { ChildProcess } from 'node:child_process'
import { env } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../../features/notices/until.ts'
import { linesOfExport, verified } from '../../verify/history.ts'
import { SHARED_KEY, signShared } from '../sealing/seals-of.ts'
import { assertWholeLog, issued, many, put, readOn, T } from '../stores/contract/support.ts'
import type { Step } from './log-process.ts'
import { onEachKind, type StorageKind, started, withStore } from './soak-stores.ts'

const STEPS = ['sums', 'statement', 'answer'] as const
const KILLED_AT = ['statement', 'answer', 'seal', 'answer', 'erasure', 'sealed'] as const
/** The number of killed processes. */
const ROUNDS = Number(env.AUDIT_KILLS ?? 30)
const AT_ONCE = 5
/** Time for the others while one process stands still, in milliseconds. */
const OTHERS_MS = 2000

const children = new Set<ChildProcess>()

/** Writes until it ends. `batches` has the ids of the entries that it has an answer for. */
function start(kind: StorageKind, place: string, step: Step, signal = '', count = 0) {
  const { child, lines, ended } = started('log-process.ts', kind, place, step, signal, count)
  children.add(child)
  return { child, lines, batches: () => lines.map((line) => line.split(' ')), ended }
}

async function kill(child: ChildProcess, ended: Promise<unknown>) {
  child.kill('SIGKILL')
  await ended
}

/** Reads the entries of impersonations in the end, and verifies the log. */
const storedAt = (kind: StorageKind, place: string) =>
  withStore(kind, place, async (store) => {
    const all = await readOn(store, undefined, 500)
    await assertWholeLog(store)
    const lines = await linesOfExport(store, { sign: signShared, now: Date.now() })
    const { entries, unsealed } = await verified(lines, { keys: async () => SHARED_KEY })
    expect([entries, unsealed.count]).to.deep.equal([all.length, 0])
    return all.flatMap(({ id, row }) => (row === undefined ? [] : id))
  })

const begin = (kind: StorageKind, place: string) =>
  withStore(kind, place, (store) => put(store, issued('shared', T)))

describe('the log of several processes', function () {
  this.timeout(60_000 + ROUNDS * 5000)
  // One that stands still would outlive a test that fails.
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  onEachKind.it(
    'has each entry that was answered, once, however often one is killed',
    async (kind, place) => {
      await begin(kind, place)
      const other = start(kind, place, 'none')
      const answered: string[][] = []
      const killed = async (round: number) => {
        const step = KILLED_AT[round % KILLED_AT.length] ?? 'none'
        const { batches, ended } = start(kind, place, step, 'SIGKILL', round % 7)
        expect(await ended).to.deep.equal([null, 'SIGKILL'])
        expect(batches().length).to.be.at.least(round % 7)
        answered.push(...batches())
      }
      for (let round = 0; round < ROUNDS; round += AT_ONCE) {
        await Promise.all(many(AT_ONCE, (index) => killed(round + index)))
      }
      await kill(other.child, other.ended)
      answered.push(...other.batches())
      const stored = await storedAt(kind, place)
      expect(new Set(stored).size).to.equal(stored.length)
      const there = new Set(stored)
      expect(answered.flat().filter((id) => !there.has(id))).to.deep.equal([])
      // A batch is stored wholly or not at all, also that of which nobody had the answer.
      expect((stored.length - 1) % 4).to.equal(0)
      expect(other.lines.length).to.be.greaterThan(ROUNDS)
    },
  )

  onEachKind.it(
    'goes on for the others while one stands still at any step, and then for that one',
    async (kind, place) => {
      await begin(kind, place)
      for (const step of STEPS) {
        const other = start(kind, place, 'none')
        const still = start(kind, place, step, 'SIGSTOP', 2)
        await until(() => still.lines.length >= 2 && other.lines.length > 0, 20_000)
        await wait(200)
        const [stood, went] = [still.lines.length, other.lines.length]
        await until(() => other.lines.length > went + 3, OTHERS_MS)
        expect(still.lines.length, step).to.equal(stood)
        still.child.kill('SIGCONT')
        await until(() => still.lines.length > stood + 3, 20_000)
        await Promise.all([kill(still.child, still.ended), kill(other.child, other.ended)])
        const there = new Set(await storedAt(kind, place))
        const answered = [...still.batches(), ...other.batches()].flat()
        expect(answered.filter((id) => !there.has(id))).to.deep.equal([])
      }
    },
  )
})
