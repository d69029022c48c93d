import { OPERATOR_COUNT } from './fill.ts'
import { ALL_SCOPES, Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type PartProcess, startServer } from './process.ts'
import { progress } from './progress.ts'
import { type Spread, spread } from './statistics.ts'

/** The size of the small store, which the large store is compared with. */
const SMALL_STORE_SIZE = 1000

/** What requests take in a store of many, relative to a store of a thousand. */
export interface LiveFigures {
  readonly storage: string
  readonly live: number
  readonly scenario: string
  /** Time for a request, under load. */
  readonly time: Spread
  /** Processor time of the server process for a request. */
  readonly cpu: Spread
}

/** Measures two servers in turn, each with its own store, of a thousand and of `count`. */
export async function measureLive(
  storage: string,
  count: number,
  { alg, rounds, requests, connections }: BenchOptions,
): Promise<LiveFigures[]> {
  const servers = [
    await startServer({ storage, alg, ends: true, database: 0 }),
    await startServer({ storage, alg, ends: true, database: 1 }),
  ]
  const loads: Load[] = []
  for (const [index, server] of servers.entries()) {
    await fill(storage, server, index === 0 ? SMALL_STORE_SIZE : count)
    const load = new Load({ server, connections: connections.at(-1) ?? 32 })
    await load.open(ALL_SCOPES)
    await load.slice(requests, load.cycle)
    await measureOnce(load, requests)
    loads.push(load)
  }

  const measured: Array<readonly [few: Slices, many: Slices]> = []
  for (let round = 1; round <= rounds; round += 1) {
    progress(
      `${storage}: round ${round} of ${rounds}, ${SMALL_STORE_SIZE} and ${count} live impersonations`,
    )
    const slices = new Map<Load, Slices>()
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) {
      slices.set(load, await measureOnce(load, requests))
    }
    const [few, many] = loads.map((load) => slices.get(load))
    if (few && many) measured.push([few, many])
  }
  progress('')
  for (const load of loads) await load.close()
  for (const server of servers) await server.stop()
  return LIVE_SCENARIOS.map((scenario) => ({
    storage,
    live: count,
    scenario,
    time: spread(measured.map(([few, many]) => few[scenario].perSecond / many[scenario].perSecond)),
    cpu: spread(measured.map(([few, many]) => many[scenario].cpu / few[scenario].cpu)),
  }))
}

const LIVE_SCENARIOS = ['exchange', 'list by actor', 'get', 'end'] as const
type Slices = Readonly<Record<(typeof LIVE_SCENARIOS)[number], Slice>>

async function measureOnce(load: Load, requests: number): Promise<Slices> {
  const tokens: string[] = []
  await load.slice(requests, async () => {
    tokens.push(await load.issue())
  })
  const token = (index: number) => tokens[index] ?? ''
  return {
    exchange: await load.slice(requests, (index) => load.exchange(token(index))),
    // A quarter, because a page is as long as 25 answers.
    'list by actor': await load.slice(Math.ceil(requests / 4), (index) =>
      load.list(`operator-${index % OPERATOR_COUNT}`),
    ),
    get: await load.slice(requests, (index) => load.get(token(index))),
    end: await load.slice(requests, (index) => load.end(token(index))),
  }
}

async function fill(storage: string, server: PartProcess, count: number): Promise<void> {
  progress(`${storage}: putting ${count} live impersonations into the store`)
  const started = performance.now()
  await server.ask('fill', count)
  const seconds = (performance.now() - started) / 1000
  progress(`${storage}: ${count} live impersonations in ${seconds.toFixed(1)} s`)
}
