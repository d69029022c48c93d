import Mocha from 'mocha'

/** In a title, by `test/support/skipping.ts`. */
const REASON = /\(skipped: (.+)\)$/

/** Mocha's usual report, with one line for all tests that were skipped. */
export default class SuiteReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const skipped = new Map<string, number>()
    runner.on('pending', (test) => {
      const titles = test.titlePath().toReversed()
      const [reason = 'no reason is given'] = titles.flatMap(
        (title) => REASON.exec(title)?.[1] ?? [],
      )
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
    })
    runner.once('end', () => {
      const parts = [...skipped].map(([reason, count]) => `${count} tests (${reason})`)
      if (parts.length > 0) console.log(`skipped: ${parts.join(', ')}`)
    })
  }
}
