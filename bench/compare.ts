import { readFile } from 'node:fs/promises'
import type { Figures } from './figures.ts'
import { printTable } from './report.ts'
import type { Spread } from './statistics.ts'

/**
 * Changes with every change of what is measured or how it is written. Files of different versions
 * are not compared.
 */
export const BENCH_VERSION = 2

/** What `--json` writes, as far as it is compared. */
export interface BenchFile {
  readonly bench: number
  readonly machine: string
  readonly options: { readonly alg: string }
  readonly figures: readonly Figures[]
}

/** What became of one measure of a scenario. */
export interface Change {
  readonly storage: string
  readonly connections: number
  readonly scenario: string
  readonly measure: 'cpu ratio' | 'statements' | 'storage µs'
  readonly before: number
  readonly after: number
  readonly verdict: 'better' | 'within the noise' | 'worse'
}

/**
 * How far two runs of the same code lie apart although each is certain: the compiler, the memory
 * and the neighbours of a run are its own. The processor time of a storage server has no
 * client_credentials to be a ratio to, so it wanders with the machine.
 */
const BETWEEN_RUNS = { 'cpu ratio': 0.03, 'storage µs': 0.15 }
/** Statements are counted. Leases of status lists and clean-ups fall on some requests only. */
const STATEMENTS_TOLERANCE = 0.05

/**
 * Reads a file that `--json` wrote.
 *
 * @throws Error where the file is no such file, or another version of the benchmark wrote it
 */
export async function readBenchFile(file: string): Promise<BenchFile> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new Error(`${file} cannot be read: ${error.code ?? error.message}`)
  })
  const { bench = 1, machine, options, figures } = parse(text) ?? {}
  if (!options) throw new Error(`${file} is no file of this benchmark (--json FILE)`)
  if (bench !== BENCH_VERSION) {
    throw new Error(
      `${file} was written by version ${bench} of this benchmark, and this is version ` +
        `${BENCH_VERSION}: measure the other commit again (--against DIR)`,
    )
  }
  if (!figures || machine === undefined) {
    throw new Error(`${file} has no figures of requests: it was written with another measurement`)
  }
  return { bench, machine, options, figures }
}

function parse(text: string): Partial<BenchFile> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws Error where the two cannot be compared */
export function changes(before: BenchFile, after: BenchFile): Change[] {
  if (before.options.alg !== after.options.alg) {
    throw new Error(
      `the two were measured with --alg ${before.options.alg} and ${after.options.alg}: ` +
        'only the same signatures can be compared',
    )
  }
  return after.figures.flatMap((figure) => {
    const { storage, connections, scenario } = figure
    const old = before.figures.find(
      (other) =>
        other.storage === storage &&
        other.connections === connections &&
        other.scenario === scenario,
    )
    if (!old) return []
    const changed = (measure: Change['measure'], values: readonly [number, number], sign: number) =>
      ({
        ...{ storage, connections, scenario, measure },
        before: values[0],
        after: values[1],
        verdict: sign === 0 ? 'within the noise' : sign > 0 ? 'better' : 'worse',
      }) satisfies Change
    const found: Change[] = []
    // Of client_credentials it is 1 in every run.
    if (scenario !== 'client_credentials') {
      const sign = direction(old.cpuRatio, figure.cpuRatio, BETWEEN_RUNS['cpu ratio'])
      found.push(changed('cpu ratio', [old.cpuRatio.median, figure.cpuRatio.median], sign))
    }
    const [was, is] = [old.storageCpu, figure.storageCpu]
    // Zero has no relative size: client_credentials stores nothing.
    if (typeof was === 'object' && typeof is === 'object' && scenario !== 'client_credentials') {
      const sign = direction(was, is, BETWEEN_RUNS['storage µs'])
      found.push(changed('storage µs', [was.median, is.median], -sign))
    }
    if (old.statements !== undefined && figure.statements !== undefined) {
      const more = figure.statements - old.statements
      const sign = Math.abs(more) > STATEMENTS_TOLERANCE ? -Math.sign(more) : 0
      found.push(changed('statements', [old.statements, figure.statements], sign))
    }
    return found
  })
}

/** 1 for more than before, -1 for less, 0 where the noise may explain it. */
function direction(before: Spread, after: Spread, betweenRuns: number): number {
  const difference = after.median - before.median
  const overlap = before.low <= after.high && after.low <= before.high
  if (overlap || Math.abs(difference) <= betweenRuns * before.median) return 0
  return Math.sign(difference)
}

export function printChanges(before: BenchFile, after: BenchFile): void {
  const found = changes(before, after)
  console.log(`\nwhat changed; more than the noise is: the 95 % intervals do not meet, and the medians
are ${BETWEEN_RUNS['cpu ratio'] * 100} % apart (storage: ${BETWEEN_RUNS['storage µs'] * 100} %), as two runs of the same code may be`)
  if (before.machine !== after.machine) {
    console.log(`measured on different machines: ${before.machine}; ${after.machine}`)
  }
  printTable(
    ['storage', 'c', 'scenario', 'measure', 'before', 'after', 'change', 'verdict'],
    found.map((change) => [
      change.storage,
      String(change.connections),
      change.scenario,
      change.measure,
      ...[change.before, change.after].map((value) => value.toPrecision(3)),
      change.before === 0 ? '' : `${((change.after / change.before - 1) * 100).toFixed(1)} %`,
      change.verdict,
    ]),
  )
  if (found.length === 0) console.log('the two have no storage, connections and scenario in common')
}
