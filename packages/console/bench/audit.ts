import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { AuditStore } from '../src/ledger/store.ts'
import { EXPORTS, pageQuestions, type Question } from './questions.ts'
import { STORAGES } from './storages.ts'
import { fillYear } from './year.ts'

const HELP = `Measures the audit of the console: how long a store takes for each page that a reader asks for.

npm run bench -- --audit [options]

  --storage <name>   ${Object.keys(STORAGES).join(', ')}; can be repeated (all without)
  --rows <number>    impersonations over a year (20000 without)
  --requests <number>  requests of each, which are an entry each (7 without)
  --runs <number>    how often each page is asked for (9 without)
  --help

POSTGRES_URL names the server (127.0.0.1 without). What is written there has a name of its own, and
is removed at the end. The exit code is 1 where a page took 200 ms or more, or a search
(by its median) more than ten times as long as the first page.
`

/** What is promised for a page, in milliseconds. */
const PROMISED_MS = 200

/** What is promised for a search: so many times the first page. */
const PROMISED_RATIO = 10

interface Measured {
  readonly name: string
  readonly count: number
  readonly median: number
  readonly slowest: number
}

async function measure(question: Question, store: AuditStore, runs: number): Promise<Measured> {
  const times: number[] = []
  let count = 0
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now()
    count = await question.ask(store)
    times.push(performance.now() - start)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [median = 0, slowest = 0] = [sorted[runs >> 1], sorted.at(-1)]
  return { name: question.name, count, median, slowest }
}

function print({ name, count, median, slowest }: Measured): void {
  const [middle, most] = [median, slowest].map((time) => time.toFixed(1).padStart(9))
  console.log(`  ${name.padEnd(44)}${String(count).padStart(7)}${middle}${most}`)
}

/** @returns whether each page took no longer than what is promised */
async function measureStorage(
  name: string,
  { rows, requests, runs }: { rows: number; requests: number; runs: number },
): Promise<boolean> {
  const open = STORAGES[name]
  if (!open) throw new Error(`there is no storage ${name}`)
  const { store, remove } = await open()
  try {
    const start = performance.now()
    const entries = await fillYear(store, rows, requests)
    const seconds = (performance.now() - start) / 1000
    console.log(
      `${name}: ${rows} impersonations, ${entries} entries, written in ${seconds.toFixed(1)} s`,
    )
    console.log(
      `  ${''.padEnd(44)}${'found'.padStart(7)}${'median'.padStart(9)}${'slowest'.padStart(9)}`,
    )
    let [isKept, first, worst] = [true, 0, 0]
    for (const question of pageQuestions(rows)) {
      const measured = await measure(question, store, runs)
      print(measured)
      isKept &&= measured.slowest < PROMISED_MS
      first ||= measured.median
      if (question.name.startsWith('search')) worst = Math.max(worst, measured.median / first)
    }
    for (const question of EXPORTS) print(await measure(question, store, 1))
    console.log(
      isKept
        ? `  Each page took less than ${PROMISED_MS} ms.`
        : `  A page took ${PROMISED_MS} ms or more.`,
    )
    console.log(`  A search took at most ${worst.toFixed(1)} times as long as the first page.\n`)
    return isKept && worst <= PROMISED_RATIO
  } finally {
    await remove()
  }
}

function numberOf(text: string, name: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw new Error(`--${name} must be a whole number, 1 or more`)
}

const { values } = parseArgs({
  options: {
    storage: { type: 'string', multiple: true, default: Object.keys(STORAGES) },
    rows: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '7' },
    runs: { type: 'string', default: '9' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
} else {
  const [rows, runs] = [numberOf(values.rows, 'rows'), numberOf(values.runs, 'runs')]
  const requests = numberOf(values.requests, 'requests')
  console.log('Times in milliseconds.\n')
  for (const name of values.storage) {
    if (!(await measureStorage(name, { rows, requests, runs }))) process.exitCode = 1
  }
}
