import { writeFile } from 'node:fs/promises'
import { isWithinPromise, printEnds } from './end-report.ts'
import { type EndFigures, measureEnds } from './ends.ts'
import { type LiveFigures, measureLive } from './live.ts'
import { parseOptions } from './options.ts'
import { type Figures, printLive, printReport } from './report.ts'
import { measureStorage } from './rounds.ts'
import { soak } from './soak.ts'
import { measureStart } from './start.ts'

const options = parseOptions()
const { alg, ends, live, storages } = options
if (options.soak !== undefined) {
  const connections = options.connections.at(-1) ?? 32
  for (const storage of storages) await soak(storage, options.soak, { alg, connections })
} else if (ends !== undefined) {
  const figures: EndFigures[] = []
  for (const storage of storages) {
    const measured = await measureEnds(storage, { alg, ends, outage: true })
    printEnds(measured)
    figures.push(measured)
  }
  await writeJson({ options, ends: figures })
  if (!figures.every(isWithinPromise)) process.exitCode = 1
} else if (live !== undefined) {
  const figures: LiveFigures[] = []
  for (const storage of storages) figures.push(...(await measureLive(storage, live, options)))
  printLive(figures)
  await writeJson({ options, live: figures })
} else await measureAll()

async function measureAll(): Promise<void> {
  // This comes first, because it fails without `npm run build`.
  const start = await measureStart(options.rounds)
  const figures: Figures[] = []
  for (const storage of storages) figures.push(...(await measureStorage(storage, options)))
  printReport(figures, start)
  await writeJson({ options, figures, start })
}

async function writeJson(content: object): Promise<void> {
  if (!options.json) return
  await writeFile(options.json, `${JSON.stringify(content, null, 2)}\n`)
  console.log(`\nwritten to ${options.json}`)
}
