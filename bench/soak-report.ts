import { printTable } from './report.ts'
import type { SoakFigures } from './soak-promises.ts'
import { growth } from './statistics.ts'

export function printSoaks(figures: readonly SoakFigures[]): void {
  printTable(
    [
      ...['storage', 'minutes', 'impersonations', 'heap MB', 'growth', 'resident MB', 'growth'],
      ...['live', 'explained', 'expired', 'events stored', 'longest queue', 'verdict'],
    ],
    figures.map((figure) => {
      const half = figure.readings.slice(Math.floor(figure.readings.length / 2))
      const of = (kind: 'heap' | 'rss') => [
        String(Math.round(half.at(-1)?.[kind] ?? 0)),
        growth(half.map((reading) => ({ at: reading.at, value: reading[kind] }))).toFixed(1),
      ]
      const stored = Object.values(figure.stored).reduce((sum, count) => sum + count, 0)
      return [
        figure.storage,
        String(figure.minutes),
        String(figure.cycles),
        ...of('heap'),
        ...of('rss'),
        String(figure.left.live),
        String(figure.explained),
        String(figure.left.expired),
        `${stored} of ${2 * figure.cycles}`,
        String(figure.longestQueue),
        figure.broken.length > 0
          ? 'broken'
          : figure.judgedSeconds === undefined
            ? 'kept; too short to judge memory'
            : 'kept',
      ]
    }),
  )
  for (const { storage, broken } of figures) {
    for (const promise of broken) console.log(`${storage}: ${promise}`)
  }
}
