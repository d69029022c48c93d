import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureAudit } from '../packages/console/bench/audit.ts'
import { type Figures, measureStorage } from './rounds.ts'
import type { Spread } from './statistics.ts'
import { STORAGES } from './storages.ts'

const HELP = `npm run bench -- [options]

Measures this package against the provider's own client_credentials grant, in one process each,
in interleaved rounds of short slices. Judge by the ratio of the processor time, and by the 95 %
interval of its median. bench/README.md says how to read it.

  --storage NAME[,NAME…]  ${Object.keys(STORAGES).join(', ')}                  (default memory)
  --connections N[,N…]    parallel connections                             (default 1,8,32)
  --rounds N              rounds; at least 7                               (default 60)
  --requests N            requests of a slice; half of it below 8 connections  (default 200)
  --against DIR           measure the checkout in DIR in the same rounds, and print what this one
                          takes relative to it; DIR needs node_modules and this bench/
  --audit                 instead: the time of each page of the console's audit; its own options
                          follow (--audit --help)

REDIS_URL and POSTGRES_URL say where those are (default: their standard ports on this machine).
`

const args = process.argv.slice(2)
if (args[0] === '--audit') await measureAudit(args.slice(1))
else await measure()

async function measure(): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      storage: { type: 'string', default: 'memory' },
      connections: { type: 'string', default: '1,8,32' },
      rounds: { type: 'string', default: '60' },
      requests: { type: 'string', default: '200' },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const rounds = Number(values.rounds)
  if (!(rounds >= 7)) throw new Error('--rounds: fewer than 7 say nothing of the noise')
  const own = fileURLToPath(new URL('..', import.meta.url))
  const options = {
    checkouts: values.against === undefined ? [own] : [own, values.against],
    connections: values.connections.split(',').map(Number),
    rounds,
    requests: Number(values.requests),
  }
  for (const storage of values.storage.split(',')) {
    console.log(storage)
    console.table((await measureStorage(storage, options)).map(rowOf))
  }
}

function rowOf({ connections, scenario, cpu, ratio, perSecond, against }: Figures) {
  return {
    c: connections,
    scenario,
    'cpu µs': Math.round(cpu.median),
    ratio: withInterval(ratio),
    'requests/s': Math.round(perSecond.median),
    ...(against && { 'relative to the other': withInterval(against) }),
  }
}

function withInterval({ median, low, high }: Spread): string {
  return `${median.toFixed(3)} (${low.toFixed(3)} … ${high.toFixed(3)})`
}
