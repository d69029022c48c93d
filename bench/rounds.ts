import { SCENARIOS, type Scenario, type Server, type Slice, startServer } from './load.ts'
import { type Spread, spread } from './statistics.ts'

export interface RoundOptions {
  /** Folders of checkouts. The first one is measured against the second. */
  readonly checkouts: readonly string[]
  readonly connections: readonly number[]
  readonly rounds: number
  readonly requests: number
}

export interface Figures {
  readonly connections: number
  readonly scenario: Scenario
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: Spread
  /** Processor time of client_credentials relative to that of the scenario, round by round. */
  readonly ratio: Spread
  readonly perSecond: Spread
  /** Processor time relative to that in the other checkout, round by round. */
  readonly against?: Spread
}

/** Requests until the compiler is through with the scenarios. */
const WARM_UP = 1500
/** Rounds until the servers start again: the compiler decides differently in each process. */
const ROUNDS_OF_A_START = 20

/** Measures all scenarios on one storage, in interleaved slices. */
export async function measureStorage(storage: string, options: RoundOptions): Promise<Figures[]> {
  const { checkouts, connections, rounds, requests } = options
  const slices = new Map<string, Slice[]>()
  const slicesOf = (checkout: number, number: number, scenario: Scenario) => {
    const key = [checkout, number, scenario].join()
    const found = slices.get(key) ?? []
    slices.set(key, found)
    return found
  }

  for (let round = 0; round < rounds; ) {
    const servers: Server[] = []
    for (const checkout of checkouts) {
      const server = await startServer(checkout, storage)
      servers.push(server)
      await server.measure('client_credentials', 8, WARM_UP)
      await server.measure('full cycle', 8, WARM_UP)
      // An exchange takes a token that was issued a round before.
      await server.measure('issue', 8, connections.length * requests)
    }
    const end = Math.min(rounds, round + ROUNDS_OF_A_START)
    for (; round < end; round += 1) {
      process.stderr.write(`\r${storage}: round ${round + 1} of ${rounds} `)
      for (const number of connections) {
        // One connection after the other takes longer.
        const count = number >= 8 ? requests : Math.ceil(requests / 2)
        // The order changes every round, so that nothing always comes after the same.
        for (const scenario of turned(SCENARIOS, round)) {
          for (const [checkout, server] of turned([...servers.entries()], round)) {
            const slice = await server.measure(scenario, number, count)
            slicesOf(checkout, number, scenario).push(slice)
          }
        }
      }
    }
    for (const server of servers) await server.stop()
  }
  process.stderr.write('\r')

  return connections.flatMap((number) =>
    SCENARIOS.map((scenario) => {
      const own = slicesOf(0, number, scenario)
      const relativeTo = (others: readonly Slice[]) =>
        own.map(({ cpu }, round) => cpu / (others[round]?.cpu ?? Number.NaN))
      const baseline = relativeTo(slicesOf(0, number, 'client_credentials'))
      return {
        connections: number,
        scenario,
        cpu: spread(own.map(({ cpu }) => cpu)),
        ratio: spread(baseline.map((relative) => 1 / relative)),
        perSecond: spread(own.map(({ perSecond }) => perSecond)),
        ...(checkouts.length > 1 && { against: spread(relativeTo(slicesOf(1, number, scenario))) }),
      }
    }),
  )
}

function turned<T>(items: readonly T[], by: number): T[] {
  const shift = by % items.length
  return [...items.slice(shift), ...items.slice(0, shift)]
}
