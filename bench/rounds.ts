import { type Server, type Slice, startServer } from './load.ts'
import { type Spread, spread } from './statistics.ts'

export interface RoundOptions {
  /** Folders of checkouts. The first one is measured against the second. */
  readonly checkouts: readonly string[]
  readonly alg: string
  readonly connections: readonly number[]
  readonly rounds: number
  readonly requests: number
  /** Starts of the servers, among which the rounds are divided. */
  readonly starts: number
}

export interface Figures {
  readonly storage: string
  readonly connections: number
  readonly scenario: string
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: Spread
  /** Processor time of client_credentials relative to that of the scenario, round by round. */
  readonly ratio: Spread
  readonly perSecond: Spread
  readonly statements: number
  /** Processor time relative to that in the other checkout, round by round. */
  readonly against?: Spread | undefined
}

const BASELINE = 'client_credentials'
const SCENARIOS = [BASELINE, 'issue', 'exchange', 'full cycle'] as const
type Scenario = (typeof SCENARIOS)[number]

/** Requests until the compiler is through with the scenarios. */
const WARM_UP = 1500

interface Side {
  readonly server: Server
  /** Subject tokens to exchange next. */
  readonly tokens: string[]
}

/**
 * Measures all scenarios on one storage, in interleaved slices. The servers are started several
 * times, because the compiler decides differently in each process.
 */
export async function measureStorage(storage: string, options: RoundOptions): Promise<Figures[]> {
  const { checkouts, connections, rounds, alg } = options
  const slices = new Map<string, Slice[]>()
  const starts = Math.min(options.starts, rounds)
  for (let start = 0, round = 0; start < starts; start += 1) {
    const sides: Side[] = []
    for (const checkout of checkouts) {
      const server = await startServer(checkout, storage, alg)
      sides.push({ server, tokens: [] })
    }
    for (const side of sides) await warmUp(side, options)
    for (; round < Math.round((rounds * (start + 1)) / starts); round += 1) {
      process.stderr.write(`\r${storage}: round ${round + 1} of ${rounds} `)
      for (const number of connections) {
        // The order changes every round, so that nothing always comes after the same.
        for (const scenario of turned(SCENARIOS, round)) {
          for (const [index, side] of turned([...sides.entries()], round)) {
            const slice = await measureSlice(side, scenario, number, options)
            const key = keyOf(index, number, scenario)
            slices.set(key, [...(slices.get(key) ?? []), slice])
          }
        }
      }
    }
    for (const { server } of sides) await server.stop()
  }
  process.stderr.write('\r')
  return connections.flatMap((number) =>
    SCENARIOS.map((scenario): Figures => {
      const of = (checkout: number, name: string) => slices.get(keyOf(checkout, number, name)) ?? []
      const own = of(0, scenario)
      const [baseline, other] = [of(0, BASELINE), of(1, scenario)]
      const cpuOf = (all: readonly Slice[], round: number) => all[round]?.cpu ?? Number.NaN
      return {
        storage,
        connections: number,
        scenario,
        cpu: spread(own.map(({ cpu }) => cpu)),
        ratio: spread(own.map(({ cpu }, round) => cpuOf(baseline, round) / cpu)),
        perSecond: spread(own.map(({ perSecond }) => perSecond)),
        statements: own.reduce((sum, { statements }) => sum + statements, 0) / own.length,
        against:
          other.length > 0
            ? spread(own.map(({ cpu }, round) => cpu / cpuOf(other, round)))
            : undefined,
      }
    }),
  )
}

async function warmUp({ server, tokens }: Side, options: RoundOptions): Promise<void> {
  const { requests } = server
  await server.slice(8, WARM_UP, requests.clientCredentials)
  await server.slice(8, WARM_UP, requests.cycle)
  const needed = options.connections.length * options.requests
  await server.slice(8, needed, async () => tokens.push(await requests.issue()))
}

/** An exchange takes a token that was issued a round before. */
function measureSlice(
  { server, tokens }: Side,
  scenario: Scenario,
  connections: number,
  options: RoundOptions,
): Promise<Slice> {
  const { clientCredentials, issue, exchange, cycle } = server.requests
  // One connection after the other takes longer.
  const count = connections >= 8 ? options.requests : Math.ceil(options.requests / 2)
  const tasks: Readonly<Record<Scenario, () => Promise<unknown>>> = {
    client_credentials: clientCredentials,
    issue: async () => tokens.push(await issue()),
    exchange: () => exchange(tokens.shift() ?? ''),
    'full cycle': cycle,
  }
  return server.slice(
    connections,
    scenario === 'full cycle' ? Math.ceil(count / 2) : count,
    tasks[scenario],
  )
}

function keyOf(checkout: number, connections: number, scenario: string): string {
  return [checkout, connections, scenario].join()
}

function turned<T>(items: readonly T[], by: number): T[] {
  const shift = by % items.length
  return [...items.slice(shift), ...items.slice(0, shift)]
}
