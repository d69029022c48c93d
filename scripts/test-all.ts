import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Failure } from './suite-reporter.ts'
import { DEMANDING, OTHERS, type Suite } from './test-suites.ts'

/** More failures than these have a reason other than a busy machine. */
const MAX_RUN_AGAIN = 5

const HELP = `npm run test:all -- [suites] [options]

Runs every suite, or those that are named, adds up the results, and exits with code 1 if a test fails.

  --list           the suites
  --side-by-side   two at a time, as CI does; files of up to ${MAX_RUN_AGAIN} failures run again, alone
  --help           this text

Other options go to mocha: npm run test:all -- docs --grep policies
`

/** Nothing listens on port 1. In CI a skipped test would be a failure. */
const WITHOUT_SERVERS = {
  CI: '',
  REDIS_URL: 'redis://127.0.0.1:1',
  POSTGRES_URL: 'postgres://postgres@127.0.0.1:1/test',
}

/** As `npm run` has it. */
const PATH = [join(import.meta.dirname, '../node_modules/.bin'), process.env.PATH].join(delimiter)

const REPORTER = join(import.meta.dirname, 'suite-reporter.ts')

interface Outcome {
  readonly suite: Suite
  readonly passed: number
  readonly failed: number
  /** What mocha reported; none where the suite ended without a report. */
  readonly failures: readonly Failure[]
}

const SUITES = [...DEMANDING, ...OTHERS]
const options = process.argv.slice(2)
const firstOption = options.findIndex((option) => option.startsWith('-'))
const names = options.slice(0, firstOption === -1 ? options.length : firstOption)
const unknown = names.filter((name) => SUITES.every((suite) => suite.name !== name))
const sideBySide = options.includes('--side-by-side')
const forMocha = options.slice(names.length).filter((option) => option !== '--side-by-side')
/** The processes of the suites that run, by process group. */
const groups = new Set<number>()

if (options.includes('--help')) {
  console.log(HELP)
} else if (options.includes('--list')) {
  const width = Math.max(...SUITES.map(({ name }) => name.length))
  for (const { name, about } of SUITES) console.log(`${name.padEnd(width)}  ${about}`)
} else if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; npm run test:all -- --list names them`)
  process.exitCode = 2
} else {
  await runAll()
}

async function runAll(): Promise<void> {
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(name, () => {
      for (const group of groups) signal(group, 'SIGTERM')
      process.exit(code)
    })
  }
  const isMeant = ({ name }: Suite) => names.length === 0 || names.includes(name)
  const [demanding, others] = [DEMANDING.filter(isMeant), OTHERS.filter(isMeant)]
  const logs = await mkdtemp(join(tmpdir(), 'test-all-'))
  const lanes = sideBySide ? [demanding, []] : [demanding]
  const outcomes = (await Promise.all(lanes.map((own) => runInTurn(own, others, logs)))).flat()
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  for (const { title, file, message } of failures) {
    console.log(`\nfailed: ${title}\n  ${relative('.', file)}\n  ${message}`)
  }
  const again = sideBySide ? await runAloneAgain(outcomes, logs) : 0
  const passed = sum(outcomes.map((outcome) => outcome.passed)) + again
  const failed = sum(outcomes.map((outcome) => outcome.failed)) - again
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/**
 * Side by side, a test with a time limit of the product may fail because the other suite had the
 * processor. The files of few failures run once more, alone: what fails there, too, has failed.
 * Answers the number of failures that are none, and names them.
 */
async function runAloneAgain(outcomes: readonly Outcome[], logs: string): Promise<number> {
  const failed = outcomes.filter((outcome) => outcome.failed > 0)
  if (sum(failed.map((outcome) => outcome.failed)) > MAX_RUN_AGAIN) return 0
  let passed = 0
  for (const { suite, failures, failed: expected } of failed) {
    if (failures.length !== expected) continue
    const files = [...new Set(failures.map(({ file }) => relative('.', file)))]
    const name = `${suite.name}, alone`
    const again = await runSuite({ ...suite, name, files, installs: [], before: [] }, logs)
    if (again.failed > 0) continue
    passed += expected
    for (const { title } of failures) console.log(`passed alone, not side by side: ${title}`)
  }
  return passed
}

/** Runs the lane's own suites one after the other, and then those that no lane has taken yet. */
async function runInTurn(own: readonly Suite[], others: Suite[], logs: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const suite of own) outcomes.push(await runSuite(suite, logs))
  for (let suite = others.shift(); suite; suite = others.shift()) {
    outcomes.push(await runSuite(suite, logs))
  }
  return outcomes
}

/**
 * Runs one suite in its own process group. Its output is shown as it comes; side by side, at the end.
 */
async function runSuite(suite: Suite, logs: string): Promise<Outcome> {
  const { name, limit, withoutServers } = suite
  const file = join(logs, `${name}.log`)
  const log = createWriteStream(file)
  const started = Date.now()
  const failuresFile = join(logs, `${name}.json`)
  const child = spawn('sh', ['-ec', commandsOf(suite).join('\n')], {
    env: {
      ...process.env,
      PATH,
      FAILURES_FILE: failuresFile,
      ...(withoutServers ? WITHOUT_SERVERS : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false })
    if (!sideBySide) stream.pipe(process.stdout, { end: false })
  }
  const closed = once(child, 'close')
  const group = -(child.pid ?? Number.NaN)
  groups.add(group)
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
  groups.delete(group)
  // What is still in the pipes is read; a process that left the group may keep them open.
  await Promise.race([closed, wait(5000, undefined, { ref: false })])
  log.end()
  await once(log, 'finish')

  const report = await readFile(file, 'utf8')
  const passed = countOf(report, 'passing')
  let failed = countOf(report, 'failing')
  // The suite ended without a report of failures, or without a test.
  if (failed === 0 && (code !== 0 || passed === 0)) failed = 1
  const seconds = Math.round((Date.now() - started) / 1000)
  const ending = stopped ? `, stopped after ${limit} s` : ''
  if (sideBySide) console.log(`\n== ${name}\n${report}`)
  console.log(`== ${name}: ${passed} passed, ${failed} failed, ${seconds} s${ending}`)
  // The tests that passed without servers are counted where they run with them.
  const failures = JSON.parse(await readFile(failuresFile, 'utf8').catch(() => '[]'))
  return { suite, passed: withoutServers ? 0 : passed, failed, failures }
}

/** The lines of the shell that prepare the suite and run its tests. */
function commandsOf({ files, timeout, installs = [], before = [], withoutServers }: Suite) {
  const mocha = [
    'mocha',
    '--reporter',
    REPORTER,
    ...(timeout === undefined ? [] : ['--timeout', String(timeout)]),
  ]
  for (const file of files) {
    mocha.push(...(file.startsWith('!') ? ['--ignore', file.slice(1)] : [file]))
  }
  mocha.push(...forMocha.filter((option) => !withoutServers || option !== '--forbid-pending'))
  return [
    ...installs.map((folder) => `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund`),
    ...before,
    mocha.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '),
  ]
}

/** The number of tests that mocha's report calls "passing" or "failing". */
function countOf(report: string, what: 'passing' | 'failing'): number {
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
