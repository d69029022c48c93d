// Runs every suite, adds up the results, and exits with code 1 if a test fails.
//   npm run test:all                       one after the other
//   npm run test:all -- --side-by-side     two at a time, as CI does
// Passes other arguments to mocha, for example --forbid-pending.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Suite {
  readonly script: string
  /** Seconds until the suite counts as failed: several times its duration on two busy cores. */
  readonly limit: number
}

/** The browser tests and the race tests each need a machine with little other load. */
const DEMANDING: readonly Suite[] = [
  { script: 'test:e2e', limit: 1200 },
  { script: 'test:proofs', limit: 1500 },
]

/** The long ones first, so that two lanes end at about the same time. */
const OTHERS: readonly Suite[] = [
  { script: 'test:example', limit: 1200 },
  { script: 'test', limit: 600 },
  { script: 'test:docs', limit: 900 },
  { script: 'test:recipes', limit: 1200 },
  { script: 'test:frameworks', limit: 600 },
  { script: 'test:resource-servers', limit: 600 },
  { script: 'test:types', limit: 600 },
]

interface Outcome {
  readonly passed: number
  readonly failed: number
}

const options = process.argv.slice(2)
const sideBySide = options.includes('--side-by-side')
const forMocha = options.filter((option) => option !== '--side-by-side')
const logs = await mkdtemp(join(tmpdir(), 'test-all-'))

const others = [...OTHERS]
const lanes = sideBySide ? [DEMANDING, []] : [DEMANDING]
const outcomes = (await Promise.all(lanes.map(inTurn))).flat()
const passed = sum(outcomes.map((outcome) => outcome.passed))
const failed = sum(outcomes.map((outcome) => outcome.failed))
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs the lane's own suites one after the other, and then those that no lane has taken yet. */
async function inTurn(own: readonly Suite[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const suite of own) outcomes.push(await run(suite))
  for (let suite = others.shift(); suite; suite = others.shift()) outcomes.push(await run(suite))
  return outcomes
}

/** Runs one suite in its own process group, and prints its log at the end. */
async function run({ script, limit }: Suite): Promise<Outcome> {
  const file = join(logs, `${script.replace(':', '-')}.log`)
  const log = await open(file, 'w')
  const started = Date.now()
  const child = spawn('npm', ['run', script, '--', ...forMocha], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  const group = -(child.pid ?? Number.NaN)
  let stopped = false
  const overdue = setTimeout(() => {
    stopped = true
    signal(group, 'SIGTERM')
  }, limit * 1000)
  const hopeless = setTimeout(() => signal(group, 'SIGKILL'), (limit + 30) * 1000)
  const [code] = await once(child, 'exit')
  clearTimeout(overdue)
  clearTimeout(hopeless)
  // Processes that the suite leaves behind must not disturb the next suite.
  signal(group, 'SIGKILL')
  await log.close()

  const report = await readFile(file, 'utf8')
  const passed = reported(report, 'passing')
  let failed = reported(report, 'failing')
  // The suite ended without a report of failures, or without a test.
  if (failed === 0 && (code !== 0 || passed === 0)) failed = 1
  const seconds = Math.round((Date.now() - started) / 1000)
  const ending = stopped ? `, stopped after ${limit} s` : ''
  console.log(`\n== npm run ${script}\n${report}`)
  console.log(`== npm run ${script}: ${passed} passed, ${failed} failed, ${seconds} s${ending}`)
  return { passed, failed }
}

/** The number of tests that mocha's report calls "passing" or "failing". */
function reported(report: string, what: 'passing' | 'failing'): number {
  const counts = [...report.matchAll(new RegExp(`^ +(\\d+) ${what}`, 'gm'))]
  return Number(counts.at(-1)?.[1] ?? 0)
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(group, name)
  } catch {
    // The group has ended.
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
