import type { Result, Run } from '../run.ts'
import { escapeMarkup } from './escape.ts'
import { countResults } from './terminal.ts'

/** The run as JUnit XML, as CI systems read it. */
export function junitReport(run: Run): string {
  const { failed, skipped } = countResults(run)
  const attributes = [
    'name="User impersonation by subject token"',
    `tests="${run.results.length}"`,
    `failures="${failed}"`,
    `skipped="${skipped}"`,
    `time="${run.milliseconds / 1000}"`,
    `timestamp="${run.startedAt.toISOString()}"`,
  ].join(' ')
  const cases = run.results.map(testCase).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite ${attributes}>\n${cases}\n</testsuite>\n</testsuites>\n`
}

function testCase({ statement, outcome, message = '', transaction, milliseconds }: Result): string {
  const { number, part, title, clause } = statement
  const name = escapeMarkup(`${number} ${title}`)
  const open = `<testcase classname="profile.${part}" name="${name}" time="${milliseconds / 1000}">`
  if (outcome === 'passed') return `${open}</testcase>`
  const reason = escapeMarkup(message)
  if (outcome === 'skipped') return `${open}<skipped message="${reason}"/></testcase>`
  const seen = transaction ? `\n\n${transaction.request}\n\n${transaction.answer}` : ''
  const detail = escapeMarkup(`${clause}${seen}`)
  return `${open}<failure message="${reason}">${detail}</failure></testcase>`
}
