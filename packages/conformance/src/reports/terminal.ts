import type { Result, Run } from '../run.ts'

const OUTCOME_SYMBOLS = { passed: '✓', failed: '✗', skipped: '–' } as const
const OUTCOME_COLORS = { passed: 32, failed: 31, skipped: 33 } as const

/** What a server answers must not move the cursor or change colours. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}]/gu

/** One line for a result, and under a failure why. */
export function resultLines({ statement, outcome, message }: Result, isColored: boolean): string {
  const symbol = OUTCOME_SYMBOLS[outcome]
  const colored = isColored ? `\u001b[${OUTCOME_COLORS[outcome]}m${symbol}\u001b[0m` : symbol
  const name = `${statement.number} ${statement.title}`
  const reason = message === undefined ? '' : `\n    ${singleLine(message)}`
  return `${colored} ${name}${reason}`
}

export function singleLine(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, ' ')
}

export function countResults({ results }: Run): Readonly<Record<Result['outcome'], number>> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

export function summaryLine(run: Run): string {
  const { passed, failed, skipped } = countResults(run)
  const seconds = (run.milliseconds / 1000).toFixed(1)
  const end = run.isInterrupted ? 'interrupted after' : 'in'
  return `${passed} passed, ${failed} failed, ${skipped} skipped, ${end} ${seconds} s`
}
