import { type Figures, useOf } from './figures.ts'
import { type Group, startGroup } from './group.ts'
import { Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { progress } from './progress.ts'
import { interval, printTable, storageCpu } from './report.ts'
import { turned } from './rounds.ts'
import { median, type Spread, spread } from './statistics.ts'

/** What a number of processes carries, all of them together. */
export interface ProcessFigures extends Pick<Figures, 'statements' | 'storageCpu'> {
  readonly storage: string
  readonly processes: number
  readonly scenario: string
  readonly perSecond: number
  /** Requests per second relative to the first number of processes, round by round. */
  readonly ratio: Spread
  /** Processor time of all processes for one request, in microseconds. */
  readonly cpu: Spread
  /** Processor time relative to the first number of processes, round by round. */
  readonly cpuGrowth: Spread
  /** The same of the storage server; absent where it is not known. */
  readonly storageGrowth?: Spread | undefined
}

const WARM_UP = 1500
type Scenario = 'exchange' | 'full cycle'

/** Measures groups of processes in turn, each with a store of its own on the same server. */
export async function measureProcesses(
  storage: string,
  counts: readonly number[],
  { alg, rounds, requests, connections }: BenchOptions,
): Promise<ProcessFigures[]> {
  const groups: Group[] = []
  const loads: Load[] = []
  for (const count of counts) {
    progress(`${storage}: starting ${count} processes`)
    const group = await startGroup(storage, alg, count)
    const load = new Load({ server: group.server, connections: connections.at(-1) ?? 32 })
    await load.open()
    await load.slice(WARM_UP * count, load.cycle)
    groups.push(group)
    loads.push(load)
  }
  const slices = loads.map(() => ({ exchange: [] as Slice[], 'full cycle': [] as Slice[] }))
  for (let round = 0; round < rounds; round += 1) {
    progress(`${storage}: round ${round + 1} of ${rounds}, ${counts} processes`)
    const runs = loads.map((load, index) => async () => {
      // As many requests for each process, however many there are.
      const size = requests * (counts[index] ?? 1)
      const tokens: string[] = []
      await load.slice(size, async () => {
        tokens.push(await load.issue())
      })
      const kept = slices[index]
      kept?.exchange.push(await load.slice(size, (request) => load.exchange(tokens[request] ?? '')))
      kept?.['full cycle'].push(await load.slice(size, load.cycle))
    })
    for (const run of turned(runs, round)) await run()
  }
  progress('')
  for (const load of loads) await load.close()
  for (const group of groups) await group.stop()
  const scenarios: readonly Scenario[] = ['exchange', 'full cycle']
  return scenarios.flatMap((scenario) =>
    counts.map((processes, index) => {
      const own = slices[index]?.[scenario] ?? []
      const first = slices[0]?.[scenario] ?? []
      const relative = (of: (slice: Slice) => number) =>
        own.flatMap((slice, round) => {
          const reference = first[round]
          return reference ? of(slice) / of(reference) : []
        })
      const ofStorage = relative((slice) => Number(slice.storageCpu))
      return {
        storage,
        processes,
        scenario,
        perSecond: median(own.map(({ perSecond }) => perSecond)),
        ratio: spread(relative(({ perSecond }) => perSecond)),
        cpu: spread(own.map(({ cpu }) => cpu)),
        cpuGrowth: spread(relative(({ cpu }) => cpu)),
        ...useOf(own),
        storageGrowth: ofStorage.every(Number.isFinite) ? spread(ofStorage) : undefined,
      }
    }),
  )
}

export function printProcesses(figures: readonly ProcessFigures[]): void {
  printTable(
    [
      ...['storage', 'scenario', 'processes', 'req/s', 'relative', '95 %', 'cpu µs', 'relative'],
      ...['95 %', 'storage µs', 'relative', '95 %', 'statements'],
    ],
    figures.map((figure) => [
      figure.storage,
      figure.scenario,
      String(figure.processes),
      figure.perSecond.toFixed(0),
      figure.ratio.median.toFixed(2),
      interval(figure.ratio),
      figure.cpu.median.toFixed(0),
      figure.cpuGrowth.median.toFixed(2),
      interval(figure.cpuGrowth),
      storageCpu(figure.storageCpu),
      figure.storageGrowth?.median.toFixed(2) ?? 'unknown',
      figure.storageGrowth ? interval(figure.storageGrowth) : 'unknown',
      figure.statements?.toFixed(2) ?? 'none',
    ]),
  )
}
