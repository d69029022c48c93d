import { useOf } from './figures.ts'
import { Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startServer } from './process.ts'
import { progress } from './progress.ts'
import { printTable, storageCpu } from './report.ts'
import { median, quantile, type Spread, spread } from './statistics.ts'
import type { StorageCpu } from './storages/storage.ts'

const REQUESTS = ['issue', 'exchange'] as const

/** What a request takes, with the audit of the console or without it. */
export interface AuditFigures {
  readonly connections: number
  readonly request: (typeof REQUESTS)[number]
  readonly audit: boolean
  /** Processor time of the server process, in microseconds. */
  readonly cpu: Spread
  /** The same of PostgreSQL. */
  readonly storageCpu: Spread | Exclude<StorageCpu, number>
  /** What it takes with the audit relative to without it, round by round. */
  readonly relative?: { readonly cpu: Spread; readonly storageCpu: Spread }
  readonly statements?: number | undefined
  /** Milliseconds. */
  readonly p50: number
}

type Options = Pick<BenchOptions, 'alg' | 'connections' | 'requests' | 'rounds'>
type Slices = Record<(typeof REQUESTS)[number], Slice[]>

/** Measures two servers in turn, each with its own tables: without an audit, and with it. */
export async function measureAudit(options: Options): Promise<AuditFigures[]> {
  const { alg, connections, requests, rounds } = options
  const servers = await Promise.all(
    [false, true].map((audit) => startServer({ storage: 'postgres', alg, consoleAudit: audit })),
  )
  const sides = connections.map((number) => ({
    connections: number,
    loads: servers.map((server) => ({
      load: new Load({ server, connections: number }),
      slices: { issue: [], exchange: [] } as Slices,
    })),
  }))
  const all = sides.flatMap(({ loads }) => loads)
  for (const { load } of all) await load.open()
  // The first two let the compiler warm up.
  for (let round = -1; round <= rounds; round += 1) {
    progress(`audit: round ${Math.max(round, 0)} of ${rounds}`)
    for (const { load, slices } of round % 2 === 0 ? all : all.toReversed()) {
      const measured = await measureRequests(load, requests)
      if (round > 0) for (const request of REQUESTS) slices[request].push(measured[request])
    }
  }
  progress('')
  for (const { load } of all) await load.close()
  for (const server of servers) await server.stop()
  return sides.flatMap((side) =>
    REQUESTS.flatMap((request) => {
      const [without = [], withAudit = []] = side.loads.map(({ slices }) => slices[request])
      const about = { connections: side.connections, request }
      return [
        { ...about, audit: false, ...figuresOf(without) },
        { ...about, audit: true, ...figuresOf(withAudit), relative: ratios(withAudit, without) },
      ]
    }),
  )
}

async function measureRequests(
  load: Load,
  requests: number,
): Promise<Record<(typeof REQUESTS)[number], Slice>> {
  const tokens: string[] = []
  const issue = await load.slice(requests, async () => {
    tokens.push(await load.issue())
  })
  const exchange = await load.slice(requests, (index) => load.exchange(tokens[index] ?? ''))
  return { issue, exchange }
}

function figuresOf(slices: readonly Slice[]) {
  return {
    cpu: spread(slices.map(({ cpu }) => cpu)),
    ...useOf(slices),
    p50: median(slices.map(({ latencies }) => quantile(latencies, 0.5))),
  }
}

function ratios(slices: readonly Slice[], others: readonly Slice[]) {
  const ratio = (of: (slice: Slice | undefined) => unknown) =>
    spread(slices.map((slice, round) => Number(of(slice)) / Number(of(others[round]))))
  return { cpu: ratio((slice) => slice?.cpu), storageCpu: ratio((slice) => slice?.storageCpu) }
}

export function printAudit(figures: readonly AuditFigures[]): void {
  printTable(
    [
      ...['c', 'request', 'audit', 'cpu µs', 'relative', '95 %'],
      ...['postgres µs', 'relative', '95 %', 'statements', 'p50 ms'],
    ],
    figures.map(({ relative, ...figure }) => [
      String(figure.connections),
      figure.request,
      figure.audit ? 'with audit' : 'without',
      figure.cpu.median.toFixed(0),
      ...ratioCells(relative?.cpu),
      storageCpu(figure.storageCpu),
      ...ratioCells(relative?.storageCpu),
      figure.statements?.toFixed(2) ?? 'none',
      figure.p50.toFixed(2),
    ]),
  )
}

function ratioCells(ratio: Spread | undefined): string[] {
  if (!ratio) return ['1', '']
  return [ratio.median.toFixed(2), `${ratio.low.toFixed(2)} … ${ratio.high.toFixed(2)}`]
}
