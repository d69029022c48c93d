import { type Figures, figuresOf, type Slices } from './figures.ts'
import { Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { CHECKOUT_ROOT, type PartProcess, startServer } from './process.ts'
import { progress } from './progress.ts'

type Options = Pick<
  BenchOptions,
  'against' | 'alg' | 'connections' | 'hook' | 'requests' | 'rounds' | 'starts'
>

/** A server under measurement: its loads, and the subject tokens to exchange next. */
interface Side {
  readonly server: PartProcess
  readonly loads: ReadonlyMap<number, Load>
  readonly tokens: ReadonlyMap<number, string[]>
}

/** The slices of a checkout, by the number of connections and the scenario. */
type Kept = ReadonlyMap<number, Map<string, Slice[]>>

/**
 * Measures all scenarios on one storage; where there is another checkout, it takes its turn.
 *
 * The servers are started several times, because the compiler decides differently in each process.
 */
export async function measureStorage(storage: string, options: Options): Promise<Figures[]> {
  const { against, connections, rounds } = options
  const checkouts = against === undefined ? [CHECKOUT_ROOT] : [CHECKOUT_ROOT, against]
  const kept: Kept[] = checkouts.map(
    () => new Map(connections.map((number) => [number, new Map<string, Slice[]>()])),
  )
  const starts = Math.min(options.starts, rounds)
  for (let start = 0, round = 0; start < starts; start += 1) {
    const sides: Side[] = []
    for (const checkout of checkouts) sides.push(await startSide(storage, checkout, options))
    for (const side of sides) await warmUp(side, options)
    const until = Math.round((rounds * (start + 1)) / starts)
    for (; round < until; round += 1) {
      progress(`${storage}: round ${round + 1} of ${rounds}`)
      await measureRound(sides, kept, round, options)
    }
    for (const { server, loads } of sides) {
      for (const load of loads.values()) await load.close()
      await server.stop()
    }
  }
  progress('')
  const [own, other] = kept
  return connections.flatMap((number) => {
    const slices: Slices = own?.get(number) ?? new Map()
    return figuresOf(storage, number, slices, other?.get(number))
  })
}

async function startSide(storage: string, checkout: string, options: Options): Promise<Side> {
  const server = await startServer({ storage, alg: options.alg, hook: options.hook }, checkout)
  const loads = new Map<number, Load>()
  const tokens = new Map<number, string[]>()
  for (const connections of options.connections) {
    const load = new Load({ server, connections })
    await load.open()
    loads.set(connections, load)
    tokens.set(connections, [])
  }
  return { server, loads, tokens }
}

/** Until the compiler is through with what the scenarios run. */
const WARM_UP = 1500

/** Runs every scenario, and leaves subject tokens to exchange. */
async function warmUp({ loads, tokens }: Side, options: Options): Promise<void> {
  const [most] = [...loads.values()].toReversed()
  await most?.slice(WARM_UP, most.clientCredentials)
  await most?.slice(WARM_UP, most.cycle)
  for (const [number, load] of loads) {
    await load.slice(sizeOf(number, options), async () => {
      tokens.get(number)?.push(await load.issue())
    })
  }
}

async function measureRound(
  sides: readonly Side[],
  kept: readonly Kept[],
  round: number,
  options: Options,
): Promise<void> {
  for (const number of options.connections) {
    const runs = sides.map((side) => buildScenarios(side, number, sizeOf(number, options)))
    // The order changes every round, so that nothing always comes after the same.
    for (const name of turned([...(runs[0]?.keys() ?? [])], round)) {
      const all = sides.map((_, index) => async () => {
        const slice = await runs[index]?.get(name)?.()
        const slices = kept[index]?.get(number)
        if (slice) slices?.set(name, [...(slices.get(name) ?? []), slice])
      })
      for (const run of turned(all, round)) await run()
    }
  }
}

/** What one round measures, by name. An exchange takes what was issued a round before. */
function buildScenarios(
  side: Side,
  connections: number,
  count: number,
): Map<string, () => Promise<Slice>> {
  const load = side.loads.get(connections)
  const tokens = side.tokens.get(connections)
  if (!load || !tokens) throw new Error(`no load with ${connections} connections`)
  const scenarios = {
    client_credentials: () => load.slice(count, load.clientCredentials),
    issue: () =>
      load.slice(count, async () => {
        tokens.push(await load.issue())
      }),
    exchange: () => load.slice(count, () => load.exchange(tokens.shift() ?? '')),
    'full cycle': () => load.slice(Math.ceil(count / 2), load.cycle),
  }
  return new Map(Object.entries(scenarios))
}

/** One connection after the other takes longer. */
function sizeOf(connections: number, { requests }: Options): number {
  return connections >= 8 ? requests : Math.ceil(requests / 2)
}

export function turned<T>(items: readonly T[], by: number): T[] {
  const shift = by % items.length
  return [...items.slice(shift), ...items.slice(0, shift)]
}
