import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

/** A test or a hook that failed. */
export interface Failure {
  /** The titles of its suites and its own. */
  readonly title: string
  readonly file: string
  readonly message: string
}

/** Mocha's usual report; what failed is also written to the file FAILURES_FILE, as JSON. */
export default class FailuresReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const failures: Failure[] = []
    runner.on('fail', (test, error) => {
      const title = test.titlePath().join(' › ')
      failures.push({ title, file: test.file ?? '', message: String(error?.message ?? error) })
    })
    runner.once('end', () => {
      if (process.env.FAILURES_FILE) {
        writeFileSync(process.env.FAILURES_FILE, JSON.stringify(failures))
      }
    })
  }
}
