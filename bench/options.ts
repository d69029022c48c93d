import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What the benchmark measures, and how long. */
export interface BenchOptions {
  readonly storages: readonly string[]
  readonly alg: string
  readonly connections: readonly number[]
  readonly rounds: number
  readonly requests: number
  readonly json: string | undefined
  /** The folder of another checkout that is measured in the same rounds. */
  readonly against: string | undefined
  /** Impersonations to end. If set, the ends are measured instead of the benchmark. */
  readonly ends: number | undefined
  /** Minutes of the soak. If set, the soak runs instead of the benchmark. */
  readonly soak: number | undefined
  /** Live impersonations in the store. If set, the comparison runs instead of the benchmark. */
  readonly live: number | undefined
}

export const STORAGES = ['memory', 'sqlite', 'redis', 'postgres'] as const

const HELP = `npm run bench -- [options]

Measures this package against the provider's own client_credentials grant, in one process each,
on this machine, in interleaved rounds: requests per second, latency, and the processor time that
the server process takes for a request (user and system, from the operating system). Judge by the
ratios, never by the absolute figures, and by processor time rather than by throughput, which
wanders with the load of the machine. A ratio over 1 is better than client_credentials.
The soak and the comparison by size use the last number of --connections.

  --storage NAME[,NAME…]  memory, sqlite, redis, postgres                  (default memory)
  --alg ALG               signature of the access tokens: ES256, RS256, …  (default ES256)
  --connections N[,N…]    parallel connections                             (default 1,8,32)
  --rounds N              rounds; the median of them is printed            (default 7)
  --requests N            requests a slice at 8 connections and more       (default 1500)
  --json FILE             write the figures to FILE as well
  --against DIR           measure the checkout in DIR in the same rounds, and print what this one
                          takes relative to it; DIR needs node_modules and this bench/
  --end                   instead: how long an API accepts an impersonated token after its end;
                          two copies of the provider (one on memory), an API in a process of its
                          own; then all copies crash
  --ends N                how many are ended, for --end                    (default 200)
  --soak [MINUTES]        instead: issue and exchange at full load, with tokens that live 5 s;
                          the server's memory every 30 s, and what is left in the store (10)
  --live [COUNT]          instead: what exchange, list by actor, get and end take with COUNT live
                          impersonations in the store, relative to 1,000   (1000000)
  --help                  this text

REDIS_URL and POSTGRES_URL say where those are (default: their standard ports on this machine).
`

/** Reads the command line. Prints and exits on --help or a mistake. */
export function parseOptions(): BenchOptions {
  try {
    const { values } = parseArgs({
      args: withDefaults(process.argv.slice(2)),
      options: {
        storage: { type: 'string', default: 'memory' },
        alg: { type: 'string', default: 'ES256' },
        connections: { type: 'string', default: '1,8,32' },
        rounds: { type: 'string', default: '7' },
        requests: { type: 'string', default: '1500' },
        json: { type: 'string' },
        against: { type: 'string' },
        end: { type: 'boolean', default: false },
        ends: { type: 'string' },
        soak: { type: 'string' },
        live: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      process.exit(0)
    }
    const storages = values.storage.split(',')
    const unknown = storages.find((name) => !STORAGES.some((known) => known === name))
    if (unknown !== undefined) {
      throw new Error(`--storage ${unknown}: must be one of ${STORAGES.join(', ')}`)
    }
    return {
      storages,
      alg: values.alg,
      connections: values.connections.split(',').map((text) => count('--connections', text)),
      rounds: count('--rounds', values.rounds),
      requests: count('--requests', values.requests),
      json: values.json,
      against: values.against === undefined ? undefined : resolve(values.against),
      ends: values.end || values.ends ? count('--ends', values.ends ?? '200') : undefined,
      soak: values.soak === undefined ? undefined : count('--soak', values.soak),
      live: values.live === undefined ? undefined : count('--live', values.live),
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`)
    process.exit(1)
  }
}

/** Options that may come without a value, and the value that each then has. */
const VALUES: Readonly<Record<string, string>> = { '--soak': '10', '--live': '1000000' }

function withDefaults(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1]
    const value = VALUES[arg]
    return value !== undefined && (next === undefined || next.startsWith('--')) ? [arg, value] : arg
  })
}

function count(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name}: ${text} is no count`)
  return value
}
