import type { Figures } from './figures.ts'
import type { LiveFigures } from './live.ts'
import type { Start } from './start.ts'
import type { Spread } from './statistics.ts'

/** Prints a table: every column as wide as its widest cell, figures to the right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const isText = header.map((_, column) => rows.every((row) => /^[a-z]/.test(row[column] ?? '')))
  for (const row of all) {
    const cells = row.map((cell, column) =>
      cell[isText[column] ? 'padEnd' : 'padStart'](widths[column] ?? 0),
    )
    console.log(cells.join('  ').trimEnd())
  }
}

export function printReport(figures: readonly Figures[], start: Start): void {
  const labels = ({ storage, connections, scenario }: Figures) => [
    storage,
    String(connections),
    scenario,
  ]
  printTable(
    [
      'storage',
      'c',
      'scenario',
      'cpu µs',
      'cpu ratio',
      '95 %',
      'range',
      'storage µs',
      'statements',
    ],
    figures.map((figure) => [
      ...labels(figure),
      figure.cpu.median.toFixed(0),
      figure.cpuRatio.median.toFixed(3),
      interval(figure.cpuRatio),
      range(figure.cpuRatio),
      storageCpu(figure.storageCpu),
      figure.statements?.toFixed(2) ?? 'none',
    ]),
  )
  console.log('\nthroughput and latency')
  printTable(
    ['storage', 'c', 'scenario', 'req/s', 'ratio', '95 %', 'range', 'p50 ms', 'p99 ms'],
    figures.map((figure) => [
      ...labels(figure),
      figure.perSecond.median.toFixed(0),
      figure.ratio.median.toFixed(3),
      interval(figure.ratio),
      range(figure.ratio),
      figure.p50.toFixed(2),
      figure.p99.toFixed(2),
    ]),
  )
  const compared = figures.filter(({ against }) => against !== undefined)
  if (compared.length > 0) {
    console.log('\nprocessor time of a request, relative to the other checkout')
    printTable(
      ['storage', 'c', 'scenario', 'µs', 'other µs', 'relative', '95 %', 'range'],
      compared.flatMap(({ against, ...figure }) =>
        against
          ? [
              [
                ...labels(figure),
                figure.cpu.median.toFixed(0),
                against.cpu.median.toFixed(0),
                against.relative.median.toFixed(3),
                interval(against.relative),
                range(against.relative),
              ],
            ]
          : [],
      ),
    )
  }
  console.log(
    `\nstart: importing and registering adds ${start.addedMs.toFixed(1)} ms to ${start.plainMs.toFixed(1)} ms (medians)`,
  )
}

/** Prints what requests take with many live impersonations, relative to a thousand. */
export function printLive(figures: readonly LiveFigures[]): void {
  printTable(
    ['storage', 'live', 'scenario', 'time', '95 %', 'cpu', '95 %'],
    figures.map(({ storage, live, scenario, time, cpu }) => [
      storage,
      String(live),
      scenario,
      time.median.toFixed(3),
      interval(time),
      cpu.median.toFixed(3),
      interval(cpu),
    ]),
  )
}

export function interval({ low, high }: Spread): string {
  return `${low.toFixed(3)} … ${high.toFixed(3)}`
}

function range({ min, max }: Spread): string {
  return `${min.toFixed(2)} … ${max.toFixed(2)}`
}

export function storageCpu(cpu: Figures['storageCpu']): string {
  return typeof cpu === 'string' ? cpu : cpu.median.toFixed(0)
}
