import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { filesOf, SUITES, type Suite } from './test-suites.ts'

const HELP = `npm run test:all -- [suites] [options]

Runs the suites that are named, or those of --push and --nightly, or every suite, one after the
other. Exits with code 1 if a test fails.

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

const args = process.argv.slice(2)
const firstOption = args.findIndex((option) => option.startsWith('-'))
const names = args.slice(0, firstOption === -1 ? args.length : firstOption)
const forMocha = args
  .slice(names.length)
  .filter((option) => option !== '--push' && option !== '--nightly')
const unknown = names.filter((name) => SUITES.every((suite) => suite.name !== name))
const moments = (['push', 'nightly'] as const).filter((when) => args.includes(`--${when}`))
const suites = SUITES.filter(({ name, when }) => {
  if (names.length > 0) return names.includes(name)
  return moments.length === 0 || moments.includes(when)
})

if (args.includes('--help')) {
  console.log(HELP)
} else if (args.includes('--list')) {
  for (const { name, when, about } of suites) {
    console.log(`${name.padEnd(18)}${when.padEnd(9)}${about}`)
  }
} else if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; npm run test:all -- --list names them`)
  process.exitCode = 2
} else {
  const failed: string[] = []
  for (const suite of suites) if (!(await passes(suite))) failed.push(suite.name)
  console.log(failed.length === 0 ? `\nall of ${suites.length}: passed` : `\nfailed: ${failed}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

/** Runs one suite in its own process group, and stops what it leaves behind. */
async function passes(suite: Suite): Promise<boolean> {
  const { name, limit } = suite
  console.log(`\n== ${name}`)
  const started = Date.now()
  const child = spawn('sh', ['-ec', commandsOf(suite).join('\n')], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const stop = () => signal(-(child.pid ?? Number.NaN), 'SIGKILL')
  const interrupt = () => process.exit(130)
  process.once('exit', stop).once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const overdue = setTimeout(stop, limit * 1000)
  const [code] = await once(child, 'exit')
  clearTimeout(overdue)
  stop()
  process.off('exit', stop).off('SIGINT', interrupt).off('SIGTERM', interrupt)
  const seconds = Math.round((Date.now() - started) / 1000)
  const ending = seconds >= limit ? `, stopped after ${limit} s` : ''
  console.log(`== ${name}: ${code === 0 ? 'passed' : 'failed'}, ${seconds} s${ending}`)
  return code === 0
}

/** The lines of the shell that prepare the suite and run its tests. */
function commandsOf(suite: Suite): string[] {
  const { timeout, oneByOne, installs = [], before = [] } = suite
  const mocha = ['mocha', '--fail-zero']
  if (oneByOne === undefined) mocha.push('--parallel', '--jobs', String(CORES))
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
