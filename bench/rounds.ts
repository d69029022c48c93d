import { Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { type PartProcess, ROOT, startServer } from './process.ts'
import { type Figures, medianOf, progress, type Slices } from './report.ts'

type Options = Pick<BenchOptions, 'against' | 'alg' | 'connections' | 'requests' | 'rounds'>

/** A checkout under measurement: its loads and its slices, by the number of connections. */
interface Side {
  readonly server: PartProcess
  readonly loads: ReadonlyMap<number, Load>
  readonly slices: ReadonlyMap<number, Map<string, Slice[]>>
}

/** Measures all scenarios on one storage; where there is another checkout, it takes its turn. */
export async function measureStorage(storage: string, options: Options): Promise<Figures[]> {
  const { connections, requests, rounds } = options
  const sides: Side[] = []
  for (const checkout of [ROOT, options.against]) {
    if (checkout !== undefined) sides.push(await startSide(storage, checkout, options))
  }
  for (const { loads } of sides) {
    const [warmUp] = loads.values()
    progress(`${storage}: warming up`)
    await warmUp?.slice(Math.ceil(requests / 2), warmUp.clientCredentials)
    await warmUp?.slice(Math.ceil(requests / 2), warmUp.cycle)
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const number of connections) {
      progress(`${storage}: round ${round} of ${rounds}, ${number} connections`)
      const count = number >= 8 ? requests : Math.ceil(requests / 4)
      // The order changes every round, so that nothing always comes after the same.
      const runs = await Promise.all(sides.map((side) => scenariosOf(side, number, count)))
      const names = turned([...(runs[0]?.keys() ?? [])], round)
      for (const name of names) {
        for (const scenarios of turned(runs, round)) await scenarios.get(name)?.()
      }
    }
  }
  progress('')
  for (const { server, loads } of sides) {
    for (const load of loads.values()) await load.close()
    await server.stop()
  }
  const [own, other] = sides
  return connections.flatMap((number) => {
    const slices: Slices = own?.slices.get(number) ?? new Map()
    return medianOf(storage, number, slices, other?.slices.get(number))
  })
}

async function startSide(storage: string, checkout: string, options: Options): Promise<Side> {
  const server = await startServer({ storage, alg: options.alg }, checkout)
  const loads = new Map<number, Load>()
  for (const connections of options.connections) {
    const load = new Load({ server, connections })
    await load.open()
    loads.set(connections, load)
  }
  const slices = new Map(
    options.connections.map((connections) => [connections, new Map<string, Slice[]>()]),
  )
  return { server, loads, slices }
}

/** What one round measures, by name, in an order that works from every start. */
async function scenariosOf(
  side: Side,
  connections: number,
  count: number,
): Promise<Map<string, () => Promise<void>>> {
  const load = side.loads.get(connections)
  if (!load) throw new Error(`no load with ${connections} connections`)
  const tokens: string[] = []
  await load.slice(count, async () => {
    tokens.push(await load.issue())
  })
  const keep = (name: string, run: () => Promise<Slice>) => {
    const slices = side.slices.get(connections)
    return async () => {
      slices?.set(name, [...(slices.get(name) ?? []), await run()])
    }
  }
  const scenarios = {
    client_credentials: () => load.slice(count, load.clientCredentials),
    issue: () => load.slice(count, load.issue),
    exchange: () => load.slice(count, (index) => load.exchange(tokens[index] ?? '')),
    'full cycle': () => load.slice(Math.ceil(count / 2), load.cycle),
  }
  return new Map(Object.entries(scenarios).map(([name, run]) => [name, keep(name, run)]))
}

function turned<T>(items: readonly T[], by: number): T[] {
  const turn = by % items.length
  return [...items.slice(turn), ...items.slice(0, turn)]
}
