import type { Run } from '../run.ts'
import { countResults } from './terminal.ts'

/** The run as JSON: one object, with a result for each statement. */
export function jsonReport(run: Run): string {
  const { issuer, startedAt, milliseconds, isInterrupted, results } = run
  const report = {
    profile: 'User impersonation by subject token, version 1',
    issuer,
    startedAt: startedAt.toISOString(),
    milliseconds,
    isInterrupted,
    ...countResults(run),
    results: results.map(({ statement: { number, part, title, clause }, ...result }) => ({
      number,
      part,
      title,
      clause,
      ...result,
    })),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}
