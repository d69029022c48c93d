import type { LiveFigures } from './live.ts'
import type { Slice } from './load.ts'
import type { Start } from './start.ts'

/** A median over the rounds, and what it lies between. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Medians over the rounds. */
export interface Figures {
  readonly storage: string
  readonly connections: number
  readonly scenario: string
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Requests per second relative to client_credentials, round by round. */
  readonly ratio: number
  /** Processor time of the server process for one request, in microseconds. */
  readonly cpu: Spread
  /** Processor time of client_credentials relative to that of the scenario, round by round. */
  readonly cpuRatio: Spread
  /** The same of the other checkout, and what this one takes relative to it, round by round. */
  readonly against?: { readonly cpu: Spread; readonly relative: Spread } | undefined
}

/** The slices of one checkout with one number of connections: of each scenario, by round. */
export type Slices = ReadonlyMap<string, readonly Slice[]>

export function medianOf(
  storage: string,
  connections: number,
  slices: Slices,
  others?: Slices,
): Figures[] {
  const baseline = slices.get('client_credentials') ?? []
  return [...slices].map(([scenario, rounds]) => {
    const other = others?.get(scenario)
    return {
      storage,
      connections,
      scenario,
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      p50: median(rounds.map(({ latencies }) => quantile(latencies, 0.5))),
      p99: median(rounds.map(({ latencies }) => quantile(latencies, 0.99))),
      ratio: median(
        rounds.map(
          ({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? Number.NaN),
        ),
      ),
      cpu: spread(rounds.map(({ cpu }) => cpu)),
      cpuRatio: spread(rounds.map(({ cpu }, round) => (baseline[round]?.cpu ?? Number.NaN) / cpu)),
      against: other && {
        cpu: spread(other.map(({ cpu }) => cpu)),
        relative: spread(rounds.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? Number.NaN))),
      },
    }
  })
}

/** Prints what requests take with many live impersonations, relative to a thousand. */
export function printLive(figures: readonly LiveFigures[]): void {
  row('storage', 'live', 'scenario', 'time, from … to', 'cpu, from … to')
  for (const { storage, live, scenario, time, cpu } of figures) {
    row(storage, live, scenario, shown(time), shown(cpu))
  }
}

function row(...cells: Array<string | number>): void {
  const padded = cells.map((cell, column) =>
    String(cell)[column < 3 ? 'padEnd' : 'padStart'](widthOf(String(cell), column)),
  )
  console.log(padded.join(''))
}

export function printReport(figures: readonly Figures[], start: Start): void {
  row(
    'storage',
    'connections',
    'scenario',
    'req/s',
    'p50 ms',
    'p99 ms',
    'ratio',
    'cpu µs',
    'cpu ratio, from … to',
  )
  for (const figure of figures) {
    const { storage, connections, scenario, perSecond, p50, p99, ratio, cpu, cpuRatio } = figure
    row(
      storage,
      connections,
      scenario,
      perSecond.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
      ratio.toFixed(3),
      cpu.median.toFixed(0),
      shown(cpuRatio),
    )
  }
  const compared = figures.flatMap(({ against, ...figure }) =>
    against ? [{ ...figure, ...against, other: against.cpu, cpu: figure.cpu }] : [],
  )
  if (compared.length > 0) {
    console.log('\nprocessor time of a request, relative to the other checkout')
    row('storage', 'connections', 'scenario', 'µs', 'other µs', 'relative, from … to')
  }
  for (const { storage, connections, scenario, cpu, other, relative } of compared) {
    const own = cpu.median.toFixed(0)
    row(storage, connections, scenario, own, other.median.toFixed(0), shown(relative))
  }
  console.log(
    `\nstart: importing and registering adds ${start.addedMs.toFixed(1)} ms to ${start.plainMs.toFixed(1)} ms (medians)`,
  )
}

function widthOf(cell: string, column: number): number {
  if (column === 2) return 20
  // A column that has a range in it.
  return cell.includes('…') ? 24 : 12
}

/**
 * Shows the state of a long run on one line that is overwritten. Without a terminal, it prints each
 * text on a line.
 */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text && text !== lastText) process.stderr.write(`${text}\n`)
  lastText = text
}

let lastText = ''

export function median(values: readonly number[]): number {
  return spread(values).median
}

export function spread(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b)
  return {
    median: quantile(ascending, 0.5),
    min: quantile(ascending, 0),
    max: quantile(ascending, 1),
  }
}

export function quantile(ascending: readonly number[], share: number): number {
  return (
    ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
  )
}

function shown({ median, min, max }: Spread): string {
  return `${median.toFixed(3)}  ${min.toFixed(3)} … ${max.toFixed(3)}`
}
