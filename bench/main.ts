import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { type AuditFigures, measureAudit, printAudit } from './audit.ts'
import { BENCH_VERSION, type BenchFile, printChanges, readBenchFile } from './compare.ts'
import { isWithinPromise, printEnds } from './end-report.ts'
import { type EndFigures, measureEnds } from './ends.ts'
import type { Figures } from './figures.ts'
import { cleanUpAll, isInterrupted } from './interrupt.ts'
import { type LiveFigures, measureLive } from './live.ts'
import { parseOptions } from './options.ts'
import { measureProcesses, type ProcessFigures, printProcesses } from './processes.ts'
import { progress } from './progress.ts'
import { printLive, printReport } from './report.ts'
import { measureStorage } from './rounds.ts'
import { soak } from './soak.ts'
import type { SoakFigures } from './soak-promises.ts'
import { printSoaks } from './soak-report.ts'
import { measureStart } from './start.ts'

const options = parseOptions()
const { alg, connections, storages } = options
try {
  await run()
} catch (error) {
  // What was asked to end cleans up by itself, and has an exit code of its own.
  if (isInterrupted()) await new Promise(() => {})
  progress('')
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
  await cleanUpAll()
}

async function run(): Promise<void> {
  const { audit, compare, compared, ends, live, processes, soak: minutes } = options
  if (minutes !== undefined) {
    const figures: SoakFigures[] = []
    const load = { alg, connections: connections.at(-1) ?? 32 }
    for (const storage of storages) figures.push(await soak(storage, minutes, load))
    printSoaks(figures)
    await writeJson({ soak: figures })
    if (figures.some(({ broken }) => broken.length > 0)) process.exitCode = 1
  } else if (ends !== undefined) {
    const figures: EndFigures[] = []
    for (const storage of storages) {
      const measured = await measureEnds(storage, { alg, ends, outage: true })
      printEnds(measured)
      figures.push(measured)
    }
    await writeJson({ ends: figures })
    if (!figures.every(isWithinPromise)) process.exitCode = 1
  } else if (live !== undefined) {
    const figures: LiveFigures[] = []
    for (const storage of storages) figures.push(...(await measureLive(storage, live, options)))
    printLive(figures)
    await writeJson({ live: figures })
  } else if (audit) {
    const figures: AuditFigures[] = await measureAudit(options)
    printAudit(figures)
    await writeJson({ audit: figures })
  } else if (processes !== undefined) {
    const figures: ProcessFigures[] = []
    for (const storage of storages) {
      figures.push(...(await measureProcesses(storage, processes, options)))
    }
    printProcesses(figures)
    await writeJson({ processes: figures })
  } else if (compare !== undefined && compared !== undefined) {
    printChanges(await readBenchFile(compare), await readBenchFile(compared))
  } else await measureAll(compare === undefined ? undefined : await readBenchFile(compare))
}

async function measureAll(before: BenchFile | undefined): Promise<void> {
  // This comes first, because it fails without `npm run build`.
  const start = await measureStart(options.rounds)
  const figures: Figures[] = []
  try {
    for (const storage of storages) figures.push(...(await measureStorage(storage, options)))
  } finally {
    // What was measured before a storage failed took its time.
    printReport(figures, start)
  }
  if (before) printChanges(before, { ...head(), figures })
  await writeJson({ figures, start })
}

function head() {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown processor'}, Node ${process.version}`
  return { bench: BENCH_VERSION, at: new Date().toISOString(), machine, options }
}

async function writeJson(content: object): Promise<void> {
  if (!options.json) return
  await writeFile(options.json, `${JSON.stringify({ ...head(), ...content }, null, 2)}\n`)
  console.log(`\nwritten to ${options.json}`)
}
