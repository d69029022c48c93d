import { Load } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type PartProcess, startServer } from './process.ts'
import { median, progress } from './report.ts'

/** The size of the small store, which the large store is compared with. */
const FEW = 1000

/**
 * Measures how long an exchange takes in a store of `count` live subject tokens, relative to a
 * store of a thousand. Two servers, each with its own store, are measured in turn.
 */
export async function measureLive(
  storage: string,
  count: number,
  { alg, rounds, requests, connections }: BenchOptions,
): Promise<number> {
  const servers = [
    await startServer({ storage, alg, database: 0 }),
    await startServer({ storage, alg, database: 1 }),
  ]
  const loads: Load[] = []
  for (const [index, server] of servers.entries()) {
    await fill(storage, server, index === 0 ? FEW : count)
    const load = new Load({ server, connections: connections.at(-1) ?? 32 })
    await load.open()
    await load.slice(requests, load.cycle)
    loads.push(load)
  }

  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${storage}: round ${round} of ${rounds}, ${FEW} and ${count} live tokens`)
    const speeds = new Map<Load, number>()
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) {
      const tokens: string[] = []
      await load.slice(requests, async () => {
        tokens.push(await load.issue())
      })
      const slice = await load.slice(requests, (index) => load.exchange(tokens[index] ?? ''))
      speeds.set(load, slice.perSecond)
    }
    const [few = Number.NaN, many = Number.NaN] = loads.map((load) => speeds.get(load))
    ratios.push(few / many)
  }
  for (const load of loads) await load.close()
  for (const server of servers) await server.stop()
  return median(ratios)
}

async function fill(storage: string, server: PartProcess, count: number): Promise<void> {
  progress(`${storage}: putting ${count} live tokens into the store`)
  const started = performance.now()
  await server.ask('fill', count)
  const seconds = (performance.now() - started) / 1000
  progress(`${storage}: ${count} live tokens in ${seconds.toFixed(1)} s`)
}
