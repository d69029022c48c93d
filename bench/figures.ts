import type { Slice } from './load.ts'
import { median, quantile, type Spread, spread } from './statistics.ts'
import type { StorageCpu } from './storages/storage.ts'

/** What the rounds say of one scenario. */
export interface Figures {
  readonly storage: string
  readonly connections: number
  readonly scenario: string
  readonly perSecond: Spread
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Requests per second relative to client_credentials, round by round. */
  readonly ratio: Spread
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: Spread
  /** Processor time of client_credentials relative to that of the scenario, round by round. */
  readonly cpuRatio: Spread
  /** Processor time of the storage server for one request, in microseconds. */
  readonly storageCpu: Spread | Exclude<StorageCpu, number>
  /** Storage statements for one request, the mean; absent where there are none. */
  readonly statements?: number | undefined
  /** The same of the other checkout, and what this one takes relative to it, round by round. */
  readonly against?: { readonly cpu: Spread; readonly relative: Spread } | undefined
}

/** The slices of one checkout with one number of connections: of each scenario, by round. */
export type Slices = ReadonlyMap<string, readonly Slice[]>

const BASELINE_SCENARIO = 'client_credentials'

export function figuresOf(
  storage: string,
  connections: number,
  slices: Slices,
  others?: Slices,
): Figures[] {
  const baseline = slices.get(BASELINE_SCENARIO) ?? []
  const inOrder = [
    BASELINE_SCENARIO,
    ...[...slices.keys()].filter((name) => name !== BASELINE_SCENARIO).toSorted(),
  ]
  return inOrder.map((scenario) => {
    const rounds = slices.get(scenario) ?? []
    const other = others?.get(scenario)
    return {
      storage,
      connections,
      scenario,
      perSecond: spread(rounds.map(({ perSecond }) => perSecond)),
      p50: median(rounds.map(({ latencies }) => quantile(latencies, 0.5))),
      p99: median(rounds.map(({ latencies }) => quantile(latencies, 0.99))),
      ratio: spread(
        rounds.map(
          ({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? Number.NaN),
        ),
      ),
      cpu: spread(rounds.map(({ cpu }) => cpu)),
      cpuRatio: spread(rounds.map(({ cpu }, round) => (baseline[round]?.cpu ?? Number.NaN) / cpu)),
      ...useOf(rounds),
      against: other && {
        cpu: spread(other.map(({ cpu }) => cpu)),
        relative: spread(rounds.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? Number.NaN))),
      },
    }
  })
}

/** What the storage did in these slices. */
export function useOf(rounds: readonly Slice[]): Pick<Figures, 'statements' | 'storageCpu'> {
  const known = rounds.flatMap(({ storageCpu }) =>
    typeof storageCpu === 'number' ? [storageCpu] : [],
  )
  const [first] = rounds
  const isKnown = known.length === rounds.length
  const counted = rounds.flatMap(({ statements }) => statements ?? [])
  return {
    storageCpu: isKnown
      ? spread(known)
      : first?.storageCpu === 'in process'
        ? 'in process'
        : 'unknown',
    statements: counted.length === 0 ? undefined : spread(counted).mean,
  }
}
