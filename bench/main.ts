import { writeFile } from 'node:fs/promises'
import { measureLive } from './live.ts'
import { parseOptions } from './options.ts'
import { type Figures, printReport, progress } from './report.ts'
import { measureStorage } from './rounds.ts'
import { soak } from './soak.ts'
import { measureStart } from './start.ts'

const options = parseOptions()
const { alg, live, storages } = options
if (options.soak !== undefined) {
  const connections = options.connections.at(-1) ?? 32
  for (const storage of storages) await soak(storage, options.soak, { alg, connections })
} else if (live !== undefined) {
  for (const storage of storages) {
    const ratio = await measureLive(storage, live, options)
    progress('')
    console.log(
      `${storage}: an exchange with ${live} live tokens takes ${ratio.toFixed(3)} times what it takes with 1000`,
    )
  }
} else await measureAll()

async function measureAll(): Promise<void> {
  // This comes first, because it fails without `npm run build`.
  const start = await measureStart(options.rounds)
  const figures: Figures[] = []
  for (const storage of storages) figures.push(...(await measureStorage(storage, options)))
  printReport(figures, start)
  if (options.json) {
    await writeFile(options.json, `${JSON.stringify({ options, figures, start }, null, 2)}\n`)
    console.log(`\nwritten to ${options.json}`)
  }
}
