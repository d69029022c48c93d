import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { filesOf, SUITES, type Suite } from './test-suites.ts'

const HELP = `npm run test:all -- [suites] [options]

Runs the suites that are named, or those of --push and --nightly, or every suite. Two suites run
side by side. Adds up the results, repeats the failures, and exits with code 1 if a test fails.

  --push     the suites of each push
  --nightly  the suites of each night and of a release
  --help     this text

Other options go to mocha: npm run test:all -- docs --grep policies

${SUITES.map(({ name, when, about }) => `  ${name.padEnd(16)}  ${when.padEnd(7)}  ${about}`).join('\n')}
`

/** More test files at once would need more connections than PostgreSQL has. */
const MAX_CORES = 4
const SUITES_AT_ONCE = 2
/** The time that one test may take. */
const TIMEOUT_MS = '120000'
/** The time that one suite may take: several times its duration on two busy cores. */
const LIMIT_SECONDS = { push: 1200, nightly: 1800 }

interface Outcome {
  readonly passed: number
  readonly failed: number
  /** Output of mocha about the tests that failed. */
  readonly failures: string
}

const options = process.argv.slice(2)
const firstOption = options.findIndex((option) => option.startsWith('-'))
const names = firstOption === -1 ? options : options.slice(0, firstOption)
const moments = (['push', 'nightly'] as const).filter((when) => options.includes(`--${when}`))
const forMocha = options
  .slice(names.length)
  .filter((option) => option !== '--push' && option !== '--nightly')
const suites = SUITES.filter(({ name, when }) =>
  names.length > 0 ? names.includes(name) : moments.length === 0 || moments.includes(when),
)
const running = new Set<ChildProcess>()

if (options.includes('--help')) {
  console.log(HELP)
} else if (names.length > suites.length) {
  console.error(`no such suite among ${names.join(', ')}; npm run test:all -- --help names them`)
  process.exitCode = 2
} else {
  await runAll()
}

async function runAll(): Promise<void> {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      for (const child of running) kill(child)
      process.exit(1)
    })
  }
  const outcomes: Outcome[] = []
  const waiting = suites.values()
  const runNext = async () => {
    for (const suite of waiting) outcomes.push(await runSuite(suite))
  }
  await Promise.all(Array.from({ length: SUITES_AT_ONCE }, runNext))
  for (const { failures } of outcomes) {
    if (failures) console.log(failures)
  }
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** Runs a suite in its own process group. One suite alone is shown while it runs. */
async function runSuite(suite: Suite): Promise<Outcome> {
  const started = performance.now()
  const child = spawn('sh', ['-ec', commandsOf(suite)], {
    env: {
      ...process.env,
      // As `npm run` has it.
      PATH: [join(import.meta.dirname, '../node_modules/.bin'), process.env.PATH].join(delimiter),
      NO_COLOR: '1',
      FORCE_COLOR: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
      if (suites.length === 1) process.stdout.write(text)
    })
  }
  const closed = once(child, 'close')
  const limit = LIMIT_SECONDS[suite.when]
  const overdue = setTimeout(() => {
    log += `\nstopped after ${limit} s\n`
    kill(child)
  }, limit * 1000)
  const [code] = await once(child, 'exit')
  clearTimeout(overdue)
  // Processes that the suite leaves behind must not disturb the next suite.
  kill(child)
  running.delete(child)
  // A process that left the group may keep the pipes open.
  await Promise.race([closed, wait(5000, undefined, { ref: false })])

  const passed = countOf('passing', log)
  // A suite that ends with a code of its own has failed, too.
  const failed = countOf('failing', log) || (code === 0 ? 0 : 1)
  const seconds = Math.round((performance.now() - started) / 1000)
  if (suites.length > 1) console.log(`\n== ${suite.name}\n${log}`)
  console.log(`== ${suite.name}: ${passed} passed, ${failed} failed, ${seconds} s`)
  const [failures = log.slice(-2000)] = /^ {2}\d+ failing\n[\s\S]*/m.exec(log) ?? []
  return {
    passed,
    failed,
    failures: failed === 0 ? '' : `\n== failed in ${suite.name}\n${failures}`,
  }
}

/** The lines of the shell that prepare the suite and run its tests. */
function commandsOf(suite: Suite): string {
  const { installs = [], before = [], oneByOne } = suite
  const jobs = Math.min(availableParallelism(), MAX_CORES) / SUITES_AT_ONCE
  const mocha = ['mocha', '--fail-zero', '--timeout', TIMEOUT_MS, ...forMocha, ...filesOf(suite)]
  if (!oneByOne && jobs > 1) mocha.push('--parallel', '--jobs', String(Math.floor(jobs)))
  return [
    ...installs.map((folder) => `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund`),
    ...before,
    mocha.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '),
  ].join('\n')
}

/** Reads the number from the last summary of mocha in a log. */
function countOf(outcome: 'failing' | 'passing', log: string): number {
  const counts = [...log.matchAll(new RegExp(`^ {2}(\\d+) ${outcome}\\b`, 'gm'))]
  return Number(counts.at(-1)?.[1] ?? 0)
}

/** Ends the processes of a suite. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}
