import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figures, measureStorage } from './rounds.ts'
import type { Spread } from './statistics.ts'
import { STORAGES } from './storages.ts'

const HELP = `npm run bench -- [options]

Measures this package against the provider's own client_credentials grant, in one process each,
in interleaved rounds of short slices. Judge by the ratio of the processor time, and by the 95 %
interval of its median. bench/README.md says how to read it.

  --storage NAME[,NAME…]  ${Object.keys(STORAGES).join(', ')}                  (default memory)
  --alg ALG               signature of the access tokens: ES256, RS256, …  (default ES256)
  --connections N[,N…]    parallel connections                             (default 1,8,32)
  --rounds N              rounds, in all starts together; at least 7       (default 60)
  --requests N            requests of a slice; half of it below 8 connections  (default 200)
  --starts N              starts of the servers                            (default 3)
  --against DIR           measure the checkout in DIR in the same rounds, and print what this one
                          takes relative to it; DIR needs node_modules and this bench/
  --json FILE             write the figures to FILE as well
  --audit                 instead: the time of each page of the console's audit; its own options
                          follow (--audit --help)

REDIS_URL and POSTGRES_URL say where those are (default: their standard ports on this machine).
`

const args = process.argv.slice(2)
if (args[0] === '--audit') {
  const program = fileURLToPath(new URL('../packages/console/bench/audit.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, program, ...args.slice(1)], {
    stdio: 'inherit',
  })
  child.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else await measure()

async function measure(): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      storage: { type: 'string', default: 'memory' },
      alg: { type: 'string', default: 'ES256' },
      connections: { type: 'string', default: '1,8,32' },
      rounds: { type: 'string', default: '60' },
      requests: { type: 'string', default: '200' },
      starts: { type: 'string', default: '3' },
      against: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const rounds = countOf('rounds', values.rounds)
  if (rounds < 7) throw new Error('--rounds: fewer than 7 say nothing of the noise')
  const own = fileURLToPath(new URL('..', import.meta.url))
  const options = {
    checkouts: values.against === undefined ? [own] : [own, values.against],
    alg: values.alg,
    connections: values.connections.split(',').map((text) => countOf('connections', text)),
    rounds,
    requests: countOf('requests', values.requests),
    starts: countOf('starts', values.starts),
  }
  const figures: Figures[] = []
  for (const storage of values.storage.split(',')) {
    const measured = await measureStorage(storage, options)
    console.table(measured.map(rowOf))
    figures.push(...measured)
  }
  if (values.json !== undefined) {
    await writeFile(values.json, JSON.stringify({ node: process.version, ...options, figures }))
  }
}

function rowOf({ storage, connections, scenario, ...figures }: Figures) {
  return {
    storage,
    c: connections,
    scenario,
    'cpu µs': Math.round(figures.cpu.median),
    ratio: withInterval(figures.ratio),
    statements: Number(figures.statements.toFixed(2)),
    'requests/s': Math.round(figures.perSecond.median),
    ...(figures.against ? { 'relative to the other': withInterval(figures.against) } : {}),
  }
}

function withInterval({ median, low, high }: Spread): string {
  return `${median.toFixed(3)} (${low.toFixed(3)} … ${high.toFixed(3)})`
}

function countOf(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`--${name}: ${text} is no count`)
}
