import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'pg'
import type { AuditStore } from '../src/ledger/store.ts'
import { createPostgresAudit } from '../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../src/ledger/stores/sqlite/index.ts'
import { questionsFor } from './questions.ts'
import { fillYear } from './year.ts'

const HELP = `Measures how long a store of the console's audit takes for each page that a reader asks for.

npm run bench -- --audit [options]

  --storage <name>  sqlite or postgres (both without)
  --rows <number>   impersonations over a year (20000 without)
  --runs <number>   how often each page is asked for (9 without)
  --help

POSTGRES_URL names the server (127.0.0.1 without). The store is removed at the end. The exit code is
1 if a page took 200 ms or more, or a search (by its median) more than ten times as long as the
first page.
`

/** The promised time of a page. */
const PROMISED_MS = 200
/** The promised time of a search, as a multiple of that of the first page. */
const PROMISED_RATIO = 10

/** A store of its own. */
interface OpenStore {
  readonly store: AuditStore
  remove(): Promise<unknown>
}

const STORAGES: Readonly<Record<string, () => Promise<OpenStore>>> = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'bench-audit-'))
    const store = createSqliteAudit({ file: join(folder, 'audit.db') })
    return { store, remove: () => rm(folder, { recursive: true }) }
  },

  async postgres() {
    const { POSTGRES_URL = 'postgres://postgres@127.0.0.1/test' } = process.env
    const schema = `bench_audit_${randomUUID().replaceAll('-', '')}`
    const options = `-c search_path=${schema}`
    const pool = new Pool({ connectionString: POSTGRES_URL, options })
    await pool.query(`CREATE SCHEMA ${schema}`)
    return {
      store: createPostgresAudit({ pool }),
      async remove() {
        await pool.query(`DROP SCHEMA ${schema} CASCADE`)
        await pool.end()
      },
    }
  },
}

/** Measures every page, and returns whether each kept its promise. */
async function measure(store: AuditStore, rows: number, runs: number): Promise<boolean> {
  await store.open()
  console.log(`${await fillYear(store, rows)} entries`)
  const table: Record<string, { found: number; median: number; slowest: number }> = {}
  for (const [name, ask] of Object.entries(questionsFor(rows))) {
    const times: number[] = []
    let found = 0
    for (let run = 0; run < runs; run += 1) {
      const start = performance.now()
      found = await ask(store)
      times.push(performance.now() - start)
    }
    times.sort((a, b) => a - b)
    table[name] = { found, median: times[runs >> 1] ?? 0, slowest: times.at(-1) ?? 0 }
  }
  console.table(table)
  const slowest = Math.max(...Object.values(table).map((page) => page.slowest))
  const searches = Object.entries(table).filter(([name]) => name.startsWith('search'))
  const worst = Math.max(...searches.map(([, { median }]) => median))
  const ratio = worst / (table['first page']?.median ?? 0)
  console.log(`The slowest page took ${slowest.toFixed(1)} ms.`)
  console.log(`A search took at most ${ratio.toFixed(1)} times as long as the first page.\n`)
  return slowest < PROMISED_MS && ratio <= PROMISED_RATIO
}

export async function measureAudit(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      storage: { type: 'string', multiple: true, default: Object.keys(STORAGES) },
      rows: { type: 'string', default: '20000' },
      runs: { type: 'string', default: '9' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  for (const name of values.storage) {
    const opened = await STORAGES[name]?.()
    if (!opened) throw new Error(`there is no storage ${name}`)
    const { store, remove } = opened
    try {
      console.log(`${name}, in milliseconds`)
      if (!(await measure(store, Number(values.rows), Number(values.runs)))) process.exitCode = 1
    } finally {
      await store.close()
      await remove()
    }
  }
}
