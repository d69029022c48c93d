import { writeFile } from 'node:fs/promises'
import { measureLive } from './live.ts'
import { Load, type Slice } from './load.ts'
import { parseOptions } from './options.ts'
import { startServer } from './process.ts'
import { type Figures, medianOf, printReport, progress } from './report.ts'
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
  for (const storage of storages) figures.push(...(await measureStorage(storage)))
  printReport(figures, start)
  if (options.json) {
    await writeFile(options.json, `${JSON.stringify({ options, figures, start }, null, 2)}\n`)
    console.log(`\nwritten to ${options.json}`)
  }
}

async function measureStorage(storage: string): Promise<Figures[]> {
  const server = await startServer({ storage, alg })
  const samples = new Map<number, Map<string, Slice[]>>()
  const loads = new Map<number, Load>()
  for (const connections of options.connections) {
    const load = new Load({ base: server.base, connections })
    await load.open()
    loads.set(connections, load)
    samples.set(connections, new Map())
  }

  const [warmUp] = loads.values()
  progress(`${storage}: warming up`)
  await warmUp?.slice(Math.ceil(options.requests / 2), warmUp.clientCredentials)
  await warmUp?.slice(Math.ceil(options.requests / 2), warmUp.cycle)

  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [connections, load] of loads) {
      progress(`${storage}: round ${round} of ${options.rounds}, ${connections} connections`)
      const count = connections >= 8 ? options.requests : Math.ceil(options.requests / 4)
      const tokens: string[] = []
      // The order changes every round, so that no scenario always comes after the same one.
      const scenarios: Array<[name: string, run: () => Promise<Slice>]> = [
        ['client_credentials', () => load.slice(count, load.clientCredentials)],
        ['issue', () => load.slice(count, load.issue)],
        ['exchange', () => load.slice(count, (index) => load.exchange(tokens[index] ?? ''))],
        ['full cycle', () => load.slice(Math.ceil(count / 2), load.cycle)],
      ]
      await load.slice(count, async () => {
        tokens.push(await load.issue())
      })
      const turn = round % scenarios.length
      for (const [name, run] of [...scenarios.slice(turn), ...scenarios.slice(0, turn)]) {
        const slices = samples.get(connections)
        slices?.set(name, [...(slices.get(name) ?? []), await run()])
      }
    }
  }
  progress('')
  for (const load of loads.values()) await load.close()
  await server.stop()

  return [...samples].flatMap(([connections, slices]) => medianOf(storage, connections, slices))
}
