import { endCurrentAnswers } from './end-current-answers.ts'
import { exchangeAnswers } from './exchange-answers.ts'
import { impersonationAnswers } from './impersonation-answers.ts'
import { issueAnswers } from './issue-answers.ts'
import type { SeenAnswer } from './openapi-document.ts'
import { statusListAnswers } from './status-list-answers.ts'

let collected: Promise<readonly SeenAnswer[]> | undefined

/** Every answer of all operations. The requests are sent once, for all tests that ask. */
export function allAnswers(): Promise<readonly SeenAnswer[]> {
  collected ??= collect()
  return collected
}

async function collect(): Promise<readonly SeenAnswer[]> {
  const seen: SeenAnswer[] = []
  for await (const answer of issueAnswers()) seen.push(answer)
  for await (const answer of exchangeAnswers()) seen.push(answer)
  for await (const answer of impersonationAnswers()) seen.push(answer)
  for await (const answer of endCurrentAnswers()) seen.push(answer)
  for await (const answer of statusListAnswers()) seen.push(answer)
  return seen
}
