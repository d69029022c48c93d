import { expect } from 'chai'
import type { Answer } from './deployment.ts'

export function expectStatus(
  { status, text }: Pick<Answer, 'status' | 'text'>,
  expected: number,
  what = text,
): void {
  expect(status, what).to.equal(expected)
}

/** An answer that refuses, with this code. */
export function expectProblem(
  { status, body, text }: Answer,
  expected: number,
  error: string,
  what = text,
): void {
  expect([status, body?.error], what).to.deep.equal([expected, error])
}

/** The ids of records, rows or impersonations. */
export const idsOf = (found: readonly { readonly id: string }[]): readonly string[] =>
  found.map(({ id }) => id)
