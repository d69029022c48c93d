import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { linesOfExport, verified } from '../../verify/history.ts'
import { SHARED_KEY, signShared } from '../sealing/seals-of.ts'
import { assertWholeLog, issued, put, readOn, T } from '../stores/contract/support.ts'
import type { Step } from './log-process.ts'
import { newPlace, type StorageKind, storeAt } from './soak-stores.ts'

const KINDS = ['sqlite', 'postgres'] as const
const STEPS = ['sums', 'statement', 'answer'] as const
const KILLED_AT = ['statement', 'answer', 'seal', 'answer', 'erasure', 'sealed'] as const
/** How many processes are killed. */
const ROUNDS = Number(env.AUDIT_KILLS ?? 30)
const AT_ONCE = 5
/** How long what others do may take while one process stands still, in milliseconds. */
const OTHERS_MS = 2000

const started = new Set<ChildProcess>()

/** Writes until it ends. `batches` has the ids of the entries that it has an answer for. */
function start(kind: StorageKind, place: string, step: Step, signal = '', count = 0) {
  const child = fork(
    new URL('log-process.ts', import.meta.url),
    [kind, place, step, signal, String(count)],
    { execArgv: ['--conditions=oidc-provider-impersonation'], silent: true },
  )
  started.add(child)
  const batches: string[][] = []
  const { stdout, stderr } = child
  if (!stdout || !stderr) return expect.fail('no output')
  stderr.pipe(process.stderr)
  createInterface(stdout).on('line', (line) => batches.push(line.split(' ')))
  return { child, batches, ended: once(child, 'close') }
}

async function until(what: () => boolean, limit: number): Promise<void> {
  const over = Date.now() + limit
  while (!what() && Date.now() < over) await wait(10)
  if (!what()) expect.fail(`not within ${limit} ms`)
}

async function kill(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** What the store has in the end, of impersonations. It also is whole, as verify sees it. */
async function storedAt(kind: StorageKind, place: string): Promise<readonly string[]> {
  const { store, close } = await storeAt(kind, place)
  await store.open()
  const all = await readOn(store, undefined, 500)
  await assertWholeLog(store)
  const lines = await linesOfExport(store, { sign: signShared, now: Date.now() })
  const { entries, unsealed } = await verified(lines, { keys: async () => SHARED_KEY })
  expect([entries, unsealed.count]).to.deep.equal([all.length, 0])
  await store.close()
  await close()
  return all.flatMap(({ id, row }) => (row === undefined ? [] : id))
}

async function begin(kind: StorageKind, place: string): Promise<void> {
  const { store, close } = await storeAt(kind, place)
  await store.open()
  await put(store, issued('shared', T))
  await store.close()
  await close()
}

describe('the log of several processes', function () {
  this.timeout(60_000 + ROUNDS * 5000)
  // One that stands still would outlive a test that fails.
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL')
  })

  for (const kind of KINDS) {
    it(`has each entry that was answered, once, however often one is killed: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      await begin(kind, place)
      const other = start(kind, place, 'none')
      const answered: string[][] = []
      const killed = async (round: number) => {
        const step = KILLED_AT[round % KILLED_AT.length] ?? 'none'
        const { batches, ended } = start(kind, place, step, 'SIGKILL', round % 7)
        expect(await ended).to.deep.equal([null, 'SIGKILL'])
        expect(batches.length).to.be.at.least(round % 7)
        answered.push(...batches)
      }
      for (let round = 0; round < ROUNDS; round += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => killed(round + index)))
      }
      await kill(other.child, other.ended)
      answered.push(...other.batches)
      const stored = await storedAt(kind, place)
      expect(new Set(stored).size).to.equal(stored.length)
      const there = new Set(stored)
      expect(answered.flat().filter((id) => !there.has(id))).to.deep.equal([])
      // A batch is stored wholly or not at all, also that of which nobody had the answer.
      expect((stored.length - 1) % 4).to.equal(0)
      expect(other.batches.length).to.be.greaterThan(ROUNDS)
    })

    it(`goes on for the others while one stands still at any step, and then for that one: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { place } = storage
      await begin(kind, place)
      for (const step of STEPS) {
        const other = start(kind, place, 'none')
        const still = start(kind, place, step, 'SIGSTOP', 2)
        await until(() => still.batches.length >= 2 && other.batches.length > 0, 20_000)
        await wait(200)
        const [stood, went] = [still.batches.length, other.batches.length]
        await until(() => other.batches.length > went + 3, OTHERS_MS)
        expect(still.batches.length, step).to.equal(stood)
        still.child.kill('SIGCONT')
        await until(() => still.batches.length > stood + 3, 20_000)
        await Promise.all([kill(still.child, still.ended), kill(other.child, other.ended)])
        const there = new Set(await storedAt(kind, place))
        const answered = [...still.batches, ...other.batches].flat()
        expect(answered.filter((id) => !there.has(id))).to.deep.equal([])
      }
    })
  }
})
