import { readFile, writeFile } from 'node:fs/promises'
import { HELP_TEXT, parseCommand, type TestCommand } from './command.ts'
import { type Configuration, readConfiguration } from './configuration.ts'
import { CouldNotRun } from './could-not-run.ts'
import { htmlReport } from './reports/html.ts'
import { jsonReport } from './reports/json.ts'
import { junitReport } from './reports/junit.ts'
import { countResults, resultLines, summaryLine } from './reports/terminal.ts'
import { type Run, run } from './run.ts'
import { ALL_STATEMENTS } from './statements/index.ts'

const REPORT_WRITERS = { junit: junitReport, json: jsonReport, html: htmlReport } as const
const EXIT_INTERRUPTED = 130

async function loadConfiguration(file: string): Promise<Configuration> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CouldNotRun(`the configuration cannot be read: ${error.message}`)
  })
  try {
    return readConfiguration(JSON.parse(text))
  } catch (error) {
    if (error instanceof CouldNotRun) throw new CouldNotRun(`${file}: ${error.message}`)
    throw new CouldNotRun(`${file} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}

function selectStatements(only: readonly string[] | undefined) {
  const known = new Set(ALL_STATEMENTS.map(({ number }) => number))
  const unknown = only?.find((number) => !known.has(number))
  if (unknown !== undefined) {
    throw new CouldNotRun(`--only: there is no test of ${unknown}; --list names them`)
  }
  return ALL_STATEMENTS.filter(({ number }) => only?.includes(number) ?? true)
}

async function writeReports(result: Run, { reports }: TestCommand): Promise<void> {
  for (const [name, file] of Object.entries(reports)) {
    if (file === undefined) continue
    const write = REPORT_WRITERS[name as keyof typeof REPORT_WRITERS]
    await writeFile(file, write(result)).catch((error: Error) => {
      throw new CouldNotRun(`the report cannot be written: ${error.message}`)
    })
  }
}

/** Where the command writes its lines. */
export interface Output extends Pick<Console, 'error' | 'log'> {
  readonly isColored: boolean
}

async function test(command: TestCommand, { log, isColored }: Output): Promise<number> {
  const statements = selectStatements(command.only)
  const configuration = await loadConfiguration(command.config)
  const result = await untilSignal((signal) =>
    run({
      issuer: command.issuer,
      configuration,
      statements,
      signal,
      onResult: (one) => log(resultLines(one, isColored)),
    }),
  )
  await writeReports(result, command)
  log(`\n${summaryLine(result)}`)
  if (result.isInterrupted) return EXIT_INTERRUPTED
  const { failed, skipped } = countResults(result)
  return failed > 0 || (command.noSkips && skipped > 0) ? 1 : 0
}

/** Work that SIGINT and SIGTERM abort. A second signal ends the process as usual. */
async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const names = ['SIGINT', 'SIGTERM'] as const
  const stop = () => interruption.abort()
  for (const name of names) process.once(name, stop)
  try {
    return await work(interruption.signal)
  } finally {
    for (const name of names) process.off(name, stop)
  }
}

/** The command, with the arguments of its line. Resolves with its exit code. */
export async function main(args: readonly string[], output: Output): Promise<number> {
  try {
    const command = parseCommand(args)
    if (command.name === 'test') return await test(command, output)
    const titles = ALL_STATEMENTS.map(({ number, title }) => `${number} ${title}`)
    output.log(command.name === 'help' ? HELP_TEXT : titles.join('\n'))
    return 0
  } catch (error) {
    if (!(error instanceof CouldNotRun)) throw error
    output.error(`could not run: ${error.message}\n--help says how it is used.`)
    return 2
  }
}
