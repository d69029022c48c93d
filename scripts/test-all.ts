import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Report, skippedLine } from './suite-reporter.ts'
import { filesOf, SUITES, type Suite } from './test-suites.ts'

const HELP = `npm run test:all -- [suites] [options]

Runs the suites that are named, or those of --push and --nightly, or every suite. Adds up the
results, and exits with code 1 if a test fails.

  --push     the suites of each push
  --nightly  the suites of each night and of a release
  --list     the suites
  --help     this text

Other options go to mocha: npm run test:all -- docs --grep policies
`

/** More test files at once would need more connections than PostgreSQL has. */
const MAX_CORES = 4
const CORES = Math.min(availableParallelism(), MAX_CORES)

/** As `npm run` has it. */
const PATH = [join(import.meta.dirname, '../node_modules/.bin'), process.env.PATH].join(delimiter)

const REPORTER = join(import.meta.dirname, 'suite-reporter.ts')

const options = process.argv.slice(2)
const firstOption = options.findIndex((option) => option.startsWith('-'))
const names = options.slice(0, firstOption === -1 ? options.length : firstOption)
const unknown = names.filter((name) => SUITES.every((suite) => suite.name !== name))
const moments = (['push', 'nightly'] as const).filter((when) => options.includes(`--${when}`))
const suites = SUITES.filter(({ name, when }) => {
  if (names.length > 0) return names.includes(name)
  return moments.length === 0 || moments.includes(when)
})
/** One suite alone is read while it runs. Of several, each is shown when it has ended. */
const isShownLive = suites.length === 1
const forMocha = options
  .slice(names.length)
  .filter((option) => option !== '--push' && option !== '--nightly')
/** The processes of the suites that run, by process group. */
const groups = new Set<number>()

if (options.includes('--help')) {
  console.log(HELP)
} else if (options.includes('--list')) {
  const width = Math.max(...SUITES.map(({ name }) => name.length))
  for (const { name, when, about } of suites) {
    console.log(`${name.padEnd(width)}  ${when.padEnd('nightly'.length)}  ${about}`)
  }
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
  const reports = await runSuites(await mkdtemp(join(tmpdir(), 'test-all-')))
  for (const { title, file, message } of reports.flatMap(({ failures }) => failures)) {
    console.log(`\nfailed: ${title}\n  ${relative('.', file)}\n  ${message}`)
  }
  const skipped: Record<string, number> = {}
  for (const [reason, count] of reports.flatMap((report) => Object.entries(report.skipped))) {
    skipped[reason] = (skipped[reason] ?? 0) + count
  }
  if (Object.keys(skipped).length > 0) console.log(`\n${skippedLine(skipped)}`)
  const passed = sum(reports.map((report) => report.passed))
  const failed = sum(reports.map((report) => report.failed))
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** Runs suites side by side, with no more files of tests at once than there are cores. */
async function runSuites(logs: string): Promise<Report[]> {
  const reports: Report[] = []
  const waiting = [...suites]
  const running = new Set<Promise<void>>()
  let free = CORES
  while (waiting.length > 0 || running.size > 0) {
    const suite = free > 0 ? waiting.shift() : undefined
    if (!suite) {
      await Promise.race(running)
      continue
    }
    const jobs = suite.oneByOne ? 1 : free
    free -= jobs
    const run = runSuite(suite, jobs, logs).then((report) => {
      reports.push(report)
      free += jobs
      running.delete(run)
    })
    running.add(run)
  }
  return reports
}

/** Runs one suite in its own process group. */
async function runSuite(suite: Suite, jobs: number, logs: string): Promise<Report> {
  const { name, limit } = suite
  const file = join(logs, `${name}.log`)
  const log = createWriteStream(file)
  const started = Date.now()
  const reportFile = join(logs, `${name}.json`)
  const child = spawn('sh', ['-ec', commandsOf(suite, jobs).join('\n')], {
    env: { ...process.env, PATH, REPORT_FILE: reportFile },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false })
    if (isShownLive) stream.pipe(process.stdout, { end: false })
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

  const report = await readReport(reportFile, code)
  const { passed, failed } = report
  const seconds = Math.round((Date.now() - started) / 1000)
  const ending = stopped ? `, stopped after ${limit} s` : ''
  if (!isShownLive) console.log(`\n== ${name}\n${await readFile(file, 'utf8')}`)
  console.log(`== ${name}: ${passed} passed, ${failed} failed, ${seconds} s${ending}`)
  return report
}

/** A suite that ended without a report, without a test, or with a code of its own has failed. */
async function readReport(file: string, code: unknown): Promise<Report> {
  const nothing: Report = { passed: 0, failed: 0, failures: [], skipped: {} }
  const report: Report = await readFile(file, 'utf8').then(JSON.parse, () => nothing)
  const { passed, failed, skipped } = report
  const isEmpty = passed === 0 && sum(Object.values(skipped)) === 0
  return failed === 0 && (code !== 0 || isEmpty) ? { ...report, failed: 1 } : report
}

/** The lines of the shell that prepare the suite and run its tests. */
function commandsOf(suite: Suite, jobs: number): string[] {
  const { timeout, installs = [], before = [] } = suite
  const mocha = ['mocha', '--reporter', REPORTER]
  if (jobs > 1) mocha.push('--parallel', '--jobs', String(jobs))
  if (timeout !== undefined) mocha.push('--timeout', String(timeout))
  mocha.push(...forMocha, ...filesOf(suite))
  return [
    ...installs.map((folder) => `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund`),
    ...before,
    mocha.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '),
  ]
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
