import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What the benchmark measures, and how long. */
export interface BenchOptions {
  readonly storages: readonly string[]
  readonly alg: string
  readonly connections: readonly number[]
  readonly rounds: number
  /** How many times the servers are started; the rounds are divided among the starts. */
  readonly starts: number
  readonly requests: number
  /** Whether the provider has `getCustomJwtClaims`, which adds a claim. */
  readonly hook: boolean
  readonly json: string | undefined
  /** The folder of another checkout that is measured in the same rounds. */
  readonly against: string | undefined
  /** The file of an earlier run to compare with. */
  readonly compare: string | undefined
  /** The file to compare with {@link compare} without measuring anything. */
  readonly compared: string | undefined
  /** Numbers of processes. If set, they are measured instead of the benchmark. */
  readonly processes: readonly number[] | undefined
  /** Impersonations to end. If set, the ends are measured instead of the benchmark. */
  readonly ends: number | undefined
  /** Minutes of the soak. If set, the soak runs instead of the benchmark. */
  readonly soak: number | undefined
  /** Live impersonations in the store. If set, the comparison runs instead of the benchmark. */
  readonly live: number | undefined
  /** Whether to measure what the audit of the console costs, instead of the benchmark. */
  readonly audit: boolean
}

export const STORAGE_NAMES = ['memory', 'sqlite', 'redis', 'postgres'] as const

const HELP_TEXT = `npm run bench -- [options]

Measures this package against the provider's own client_credentials grant, in one process each,
on this machine, in interleaved rounds of short slices. For each scenario: the processor time that
the server process takes for a request (user and system, from the operating system), that of the
storage server, the number of storage statements, requests per second, latency.

Judge by the ratios, never by the absolute figures, and by processor time rather than by
throughput, which wanders with the load of the machine. A ratio over 1 is better than
client_credentials. It is taken within each round: the median of all rounds, the 95 % interval of
that median, and the range of the rounds. bench/README.md says how to read it.

  --storage NAME[,NAME…]  memory, sqlite, redis, postgres                  (default memory)
  --alg ALG               signature of the access tokens: ES256, RS256, …  (default ES256)
  --connections N[,N…]    parallel connections                             (default 1,8,32)
  --rounds N              rounds, in all starts together; at least 7       (default 60)
  --requests N            requests a slice at 8 connections and more;
                          half of it at fewer                              (default 200)
  --starts N              how many times the servers are started           (default 3)
  --hook                  with a claims hook (getCustomJwtClaims), which answers at once
  --json FILE             write the figures to FILE as well
  --compare OLD [NEW]     print what changed since the file OLD, which --json wrote, and whether
                          that is more than the noise; with the file NEW, nothing is measured
  --against DIR           measure the checkout in DIR in the same rounds, and print what this one
                          takes relative to it; DIR needs node_modules and this bench/
  --processes N[,N…]      instead: that many processes on one port and one store  (1,2,4)
  --end                   instead: how long an API accepts an impersonated token after its end;
                          two copies of the provider (one on memory), an API in a process of its
                          own; then all copies crash
  --ends N                how many are ended, for --end                    (default 200)
  --soak [MINUTES]        instead: issue and exchange at full load, with every event stored; fails
                          where memory grows, a record outlives its time, or an event is missing;
                          memory is judged from 7 minutes on               (10)
  --live [COUNT]          instead: what exchange, list by actor, get and end take with COUNT live
                          impersonations in the store, relative to 1,000   (1000000)
  --audit                 instead: what issue and exchange take with the audit of the console and without
                          it, both on PostgreSQL; --connections is 1,32 then by default
  --help                  this text

--processes, --soak and --live use the last number of --connections.
REDIS_URL and POSTGRES_URL say where those are (default: their standard ports on this machine).
`

/** Reads the command line. Prints and exits on --help or a mistake. */
export function parseOptions(): BenchOptions {
  try {
    const { values, positionals } = parseArgs({
      args: withDefaults(process.argv.slice(2)),
      allowPositionals: true,
      options: {
        storage: { type: 'string' },
        alg: { type: 'string', default: 'ES256' },
        connections: { type: 'string' },
        rounds: { type: 'string', default: '60' },
        requests: { type: 'string', default: '200' },
        starts: { type: 'string', default: '3' },
        hook: { type: 'boolean', default: false },
        json: { type: 'string' },
        compare: { type: 'string' },
        against: { type: 'string' },
        processes: { type: 'string' },
        end: { type: 'boolean', default: false },
        ends: { type: 'string' },
        soak: { type: 'string' },
        live: { type: 'string' },
        audit: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(HELP_TEXT)
      process.exit(0)
    }
    const [compared, ...others] = positionals
    const [unexpected] = values.compare === undefined ? positionals : others
    if (unexpected !== undefined) throw new Error(`${unexpected}: no option takes it`)
    const processes = values.processes && counts('--processes', values.processes)
    const options: BenchOptions = {
      storages: storages(
        values.storage ??
          (values.audit ? 'postgres' : processes ? SHARED_STORAGES.join(',') : 'memory'),
      ),
      alg: values.alg,
      connections: counts(
        '--connections',
        values.connections ?? (values.audit ? '1,32' : '1,8,32'),
      ),
      rounds: count('--rounds', values.rounds),
      requests: count('--requests', values.requests),
      starts: count('--starts', values.starts),
      hook: values.hook,
      json: values.json,
      compare: values.compare,
      compared,
      against: values.against === undefined ? undefined : resolve(values.against),
      processes: processes || undefined,
      ends: values.end || values.ends ? count('--ends', values.ends ?? '200') : undefined,
      soak: values.soak === undefined ? undefined : count('--soak', values.soak),
      live: values.live === undefined ? undefined : count('--live', values.live),
      audit: values.audit,
    }
    check(options)
    return options
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP_TEXT}`)
    process.exit(1)
  }
}

/** The storages that processes share. */
const SHARED_STORAGES: readonly string[] = ['redis', 'postgres']

/** @throws Error where options contradict each other */
function check(options: BenchOptions): void {
  const { storages, rounds, processes, ends, soak, live, audit, compare, against } = options
  const other = Object.entries({ processes, end: ends, soak, live, audit }).filter(
    ([, value]) => value,
  )
  const [first, second] = other.map(([name]) => `--${name}`)
  if (second) throw new Error(`${first} and ${second}: one measurement at a time`)
  if (first && compare !== undefined) throw new Error(`--compare does not go with ${first}`)
  if (first && against !== undefined) throw new Error(`--against does not go with ${first}`)
  if (rounds < 7) throw new Error(`--rounds ${rounds}: fewer than 7 say nothing of the noise`)
  if (audit && storages.join() !== 'postgres') throw new Error('--audit: is measured on postgres')
  const alone = storages.find((name) => !SHARED_STORAGES.includes(name))
  if (processes && alone !== undefined) {
    throw new Error(
      `--processes: must be measured on ${SHARED_STORAGES.join(' or ')}, not on ${alone}`,
    )
  }
}

function storages(text: string): string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !STORAGE_NAMES.some((known) => known === name))
  if (unknown === undefined) return names
  throw new Error(`--storage ${unknown}: must be one of ${STORAGE_NAMES.join(', ')}`)
}

/** Options that may come without a value, and the value that each then has. */
const DEFAULT_VALUES: Readonly<Record<string, string>> = {
  '--soak': '10',
  '--live': '1000000',
  '--processes': '1,2,4',
}

function withDefaults(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1]
    const value = DEFAULT_VALUES[arg]
    return value !== undefined && (next === undefined || next.startsWith('--')) ? [arg, value] : arg
  })
}

function count(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name}: ${text} is no count`)
  return value
}

function counts(name: string, text: string): number[] {
  return text.split(',').map((part) => count(name, part))
}
