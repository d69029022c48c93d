import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Load, type Slice } from './load.ts'
import { parseOptions } from './options.ts'
import { type Figures, medianOf, printReport, progress } from './report.ts'
import { measureStart } from './start.ts'

const options = parseOptions()
const report: Figures[] = []
for (const storage of options.storages) {
  report.push(...(await measureStorage(storage)))
}
const start = await measureStart(options.rounds)
printReport(report, start)
if (options.json) {
  await writeFile(options.json, `${JSON.stringify({ options, figures: report, start }, null, 2)}\n`)
  console.log(`\nwritten to ${options.json}`)
}

async function measureStorage(storage: string): Promise<Figures[]> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [storage, options.alg])
  const stop = () => child.kill()
  process.once('exit', stop)
  const [{ base }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`the server for ${storage} did not start`)
    }),
  ])
  const samples = new Map<number, Map<string, Slice[]>>()
  const loads = new Map<number, Load>()
  for (const connections of options.connections) {
    const load = new Load({ base, connections })
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
      // Another order every round, so that none always comes after the same one.
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
  child.send('stop')
  await once(child, 'exit')
  process.off('exit', stop)

  return [...samples].flatMap(([connections, slices]) => medianOf(storage, connections, slices))
}
