import { useOf } from './figures.ts'
import { Load, type Slice } from './load.ts'
import type { BenchOptions } from './options.ts'
import { startServer } from './process.ts'
import { progress } from './progress.ts'
import { printTable, storageCpu } from './report.ts'
import { median, quantile, type Spread, spread } from './statistics.ts'
import type { StorageCpu } from './storages/storage.ts'

/** What one exchange takes, with the audit of the console or without it. */
export interface AuditFigures {
  readonly connections: number
  readonly audit: boolean
  /** Processor time of the server process, in microseconds. */
  readonly cpu: Spread
  /** The same of PostgreSQL. */
  readonly storageCpu: Spread | Exclude<StorageCpu, number>
  readonly statements?: number | undefined
  /** Milliseconds. */
  readonly p50: number
}

type Options = Pick<BenchOptions, 'alg' | 'connections' | 'requests' | 'rounds'>

/** Measures two servers in turn, each with its own tables: without an audit, and with it. */
export async function measureAudit(options: Options): Promise<AuditFigures[]> {
  const { alg, connections, requests, rounds } = options
  const servers = [false, true].map(async (audit) => ({
    audit,
    server: await startServer({ storage: 'postgres', alg, consoleAudit: audit }),
  }))
  const sides = (await Promise.all(servers)).flatMap(({ audit, server }) =>
    connections.map((number) => ({
      ...{ audit, server, connections: number, slices: [] as Slice[] },
      load: new Load({ server, connections: number }),
    })),
  )
  for (const { load } of sides) await load.open()
  // The first two let the compiler warm up.
  for (let round = -1; round <= rounds; round += 1) {
    progress(`audit: round ${Math.max(round, 0)} of ${rounds}`)
    for (const { load, slices } of round % 2 === 0 ? sides : sides.toReversed()) {
      const slice = await measureExchange(load, requests)
      if (round > 0) slices.push(slice)
    }
  }
  progress('')
  for (const { load } of sides) await load.close()
  for (const { server } of await Promise.all(servers)) await server.stop()
  return sides
    .toSorted((a, b) => a.connections - b.connections)
    .map(({ slices, connections, audit }) => ({
      ...{ connections, audit },
      cpu: spread(slices.map(({ cpu }) => cpu)),
      ...useOf(slices),
      p50: median(slices.map(({ latencies }) => quantile(latencies, 0.5))),
    }))
}

async function measureExchange(load: Load, requests: number): Promise<Slice> {
  const tokens: string[] = []
  await load.slice(requests, async () => {
    tokens.push(await load.issue())
  })
  return load.slice(requests, (index) => load.exchange(tokens[index] ?? ''))
}

export function printAudit(figures: readonly AuditFigures[]): void {
  printTable(
    ['c', 'exchange', 'cpu µs', 'postgres µs', 'statements', 'p50 ms'],
    figures.map((figure) => [
      String(figure.connections),
      figure.audit ? 'with audit' : 'without',
      figure.cpu.median.toFixed(0),
      storageCpu(figure.storageCpu),
      figure.statements?.toFixed(2) ?? 'none',
      figure.p50.toFixed(2),
    ]),
  )
}
