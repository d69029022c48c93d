import { exchangeAnswers } from './exchange-answers.ts'
import { issueAnswers } from './issue-answers.ts'
import type { SeenAnswer } from './openapi-document.ts'

let collected: Promise<readonly SeenAnswer[]> | undefined

/** Every answer of both operations. The requests are sent once, for all tests that ask. */
export function allAnswers(): Promise<readonly SeenAnswer[]> {
  collected ??= collect()
  return collected
}

async function collect(): Promise<readonly SeenAnswer[]> {
  const seen: SeenAnswer[] = []
  for await (const answer of issueAnswers()) seen.push(answer)
  for await (const answer of exchangeAnswers()) seen.push(answer)
  return seen
}
