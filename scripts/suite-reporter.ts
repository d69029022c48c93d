import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

/** A test or a hook that failed. */
export interface Failure {
  /** The titles of its suites and its own. */
  readonly title: string
  readonly file: string
  readonly message: string
}

/** The outcome of one run of mocha. */
export interface Report {
  readonly passed: number
  readonly failed: number
  readonly failures: readonly Failure[]
  /** How many tests were skipped, by the reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** In a title, by `test/support/skipping.ts`. */
const REASON = /\(skipped: (.+)\)$/

/**
 * Mocha's usual report, with one line for all tests that were skipped. If REPORT_FILE names a file,
 * the reporter writes a {@link Report} to it, and `test-all.ts` says the line.
 */
export default class SuiteReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const failures: Failure[] = []
    const skipped: Record<string, number> = {}
    runner.on('fail', (test, error) => {
      const title = test.titlePath().join(' › ')
      failures.push({ title, file: test.file ?? '', message: String(error?.message ?? error) })
    })
    runner.on('pending', (test) => {
      const titles = test.titlePath().toReversed()
      const [reason = 'no reason is given'] = titles.flatMap(
        (title) => REASON.exec(title)?.[1] ?? [],
      )
      skipped[reason] = (skipped[reason] ?? 0) + 1
    })
    runner.once('end', () => {
      const { passes: passed, failures: failed } = this.stats
      const report: Report = { passed, failed, failures, skipped }
      if (process.env.REPORT_FILE) writeFileSync(process.env.REPORT_FILE, JSON.stringify(report))
      else if (Object.keys(skipped).length > 0) console.log(skippedLine(skipped))
    })
  }
}

/** `skipped: 12 tests (no Redis at 127.0.0.1:6379), 3 tests (no redis-server)` */
export function skippedLine(skipped: Report['skipped']): string {
  const parts = Object.entries(skipped).map(([reason, count]) => `${count} tests (${reason})`)
  return `skipped: ${parts.join(', ')}`
}
