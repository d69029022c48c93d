import type { Slice } from './load.ts'
import type { Start } from './start.ts'

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
}

export function medianOf(
  storage: string,
  connections: number,
  slices: ReadonlyMap<string, readonly Slice[]>,
): Figures[] {
  const baseline = slices.get('client_credentials') ?? []
  return [...slices].map(([scenario, rounds]) => ({
    storage,
    connections,
    scenario,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ latencies }) => at(latencies, 0.5))),
    p99: median(rounds.map(({ latencies }) => at(latencies, 0.99))),
    ratio: median(
      rounds.map(({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? Number.NaN)),
    ),
  }))
}

export function printReport(figures: readonly Figures[], start: Start): void {
  const row = (...cells: Array<string | number>) =>
    console.log(
      cells
        .map((cell, column) =>
          String(cell)[column < 3 ? 'padEnd' : 'padStart'](column === 2 ? 20 : 12),
        )
        .join(''),
    )
  row('storage', 'connections', 'scenario', 'req/s', 'p50 ms', 'p99 ms', 'ratio')
  for (const { storage, connections, scenario, perSecond, p50, p99, ratio } of figures) {
    row(
      storage,
      connections,
      scenario,
      perSecond.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
      ratio.toFixed(3),
    )
  }
  console.log(
    `\nstart: importing and registering adds ${start.addedMs.toFixed(1)} ms to ${start.plainMs.toFixed(1)} ms (medians)`,
  )
}

/**
 * Shows the state of a long run on one line that is overwritten. Without a terminal, it prints each
 * text on a line.
 */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}

export function median(values: readonly number[]): number {
  return at(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}

function at(ascending: readonly number[], quantile: number): number {
  return (
    ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * quantile))] ?? Number.NaN
  )
}
