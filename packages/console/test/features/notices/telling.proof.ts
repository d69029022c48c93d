import { join } from 'node:path'
import { expect } from 'chai'
import { freePort, skipWithout } from '../../../../../test/adapters/servers.ts'
import { newFolder } from '../../../../../test/support/folder.ts'
import {
  newPlace,
  type StorageKind,
  started,
  withStore,
} from '../../ledger/recording/soak-stores.ts'
import { assertWholeLog } from '../../ledger/stores/contract/support.ts'
import type { Mode } from './telling-process.ts'

/** When each process is killed: at the n-th start, or message that it sends or has sent. */
const KILLED: readonly (readonly [Mode, count: number])[] = [
  ...[1, 2, 3, 5].map((count) => ['answered', count] as const),
  ...[1, 2, 3].map((count) => ['sending', count] as const),
  ...[1, 2, 3].map((count) => ['sent', count] as const),
]
const MINUTE = 60_000

/** Runs a process to its end. Returns what it wrote down. */
async function run(...args: string[]) {
  const { lines, ended } = started('../../features/notices/telling-process.ts', ...args)
  const [code, signal] = await ended
  if (code) expect.fail('the process failed')
  return { lines: lines.map((line) => line.split(' ')), signal }
}

/** A storage of the audit, and a file for the provider. */
async function withPlaces(kind: StorageKind, use: (place: string, file: string) => Promise<void>) {
  await using storage = await newPlace(kind)
  await use(storage.place, join(newFolder(), 'provider.db'))
  await withStore(kind, storage.place, assertWholeLog)
}

describe('processes that tell customers, leads and approvers', function () {
  this.timeout(300_000)

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`lose nothing over ten kills, and repeat some with the same id: ${kind}`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await withPlaces(kind, async (place, file) => {
        const port = String(await freePort())
        const all: string[][] = []
        for (const [mode, count] of KILLED) {
          const { lines, signal } = await run(kind, place, file, port, mode, String(count))
          expect(signal).to.equal('SIGKILL')
          all.push(...lines)
        }
        all.push(...(await run(kind, place, file, port, 'restart')).lines)
        const of = (what: string) => all.filter(([first]) => first === what)
        const told = new Map<string, Set<string | undefined>>()
        for (const [, what, about, id] of of('told')) {
          told.set(`${what} ${about}`, (told.get(`${what} ${about}`) ?? new Set()).add(id))
        }
        const known = of('known').map(([, what, about]) => `${what} ${about}`)
        expect(known).to.include.members(of('started').map(([, id]) => `started ${id}`))
        expect(told).to.have.all.keys(known)
        expect(
          [...told.values()].map(({ size }) => size),
          'one id for each',
        ).to.deep.equal(known.map(() => 1))
        const { lines } = await run(kind, place, file, port, 'restart')
        expect(
          lines.filter(([first]) => first === 'told'),
          'and no more',
        ).to.deep.equal([])
        console.log(
          `      ${KILLED.length} kills: ${known.length} to tell, ${of('told').length} told`,
        )
      })
    })
  }

  it('do not hinder each other: two on PostgreSQL, twelve clients, a minute, and no 503', async function () {
    await skipWithout(this, 'PostgreSQL')
    for (const mode of ['quiet', 'clients'] as const) {
      await withPlaces('postgres', async (place, file) => {
        const clients = () => run('postgres', place, file, '0', mode, String(MINUTE))
        const lines = (await Promise.all([clients(), clients()])).flatMap((each) => each.lines)
        const of = (what: string) => lines.filter(([first]) => first === what)
        expect(of('failed').map((line) => line.join(' '))).to.deep.equal([])
        const times = of('started').map(([, , ms]) => Number(ms))
        const inOrder = times.toSorted((one, other) => one - other)
        const [p50, p99] = [0.5, 0.99].map((part) => inOrder[Math.floor(part * times.length)])
        const ids = of('told').map(([, , , id]) => id)
        console.log(
          `      ${mode}: ${times.length} starts, p50 ${p50} ms, p99 ${p99} ms, ${ids.length} told`,
        )
        expect(new Set(ids).size, 'each once').to.equal(ids.length)
      })
    }
  })
})
