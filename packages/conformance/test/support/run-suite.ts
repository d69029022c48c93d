import { readConfiguration } from '../../src/configuration.ts'
import { type Run, run } from '../../src/run.ts'
import { ALL_STATEMENTS } from '../../src/statements/index.ts'
import type { Deployed } from './deployment.ts'

/** @param only the numbers of the statements to test; all, where nothing is said */
export function runSuite(
  { issuer, configuration }: Pick<Deployed, 'issuer' | 'configuration'>,
  only: readonly string[] = ALL_STATEMENTS.map(({ number }) => number),
): Promise<Run> {
  return run({
    issuer,
    configuration: readConfiguration(configuration),
    statements: ALL_STATEMENTS.filter(({ number }) => only.includes(number)),
    signal: new AbortController().signal,
  })
}

/** What did not pass, one line each. */
export function complaintsIn({ results }: Run): string[] {
  return results
    .filter(({ outcome }) => outcome !== 'passed')
    .map(({ statement, outcome, message }) => `${statement.number} ${outcome}: ${message}`)
}
