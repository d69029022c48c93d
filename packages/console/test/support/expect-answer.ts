import { expect } from 'chai'
import type { Answer } from './deployment.ts'

export function expectStatus(
  { status, text }: { readonly status: number; readonly text: unknown },
  expected: number,
  what = typeof text === 'string' ? text : undefined,
) {
  expect(status, what).to.equal(expected)
}

/** An answer that refuses, with this code. */
export function expectProblem(
  { status, body, text }: Answer,
  expected: number,
  error: string,
  what = text,
) {
  expect([status, body?.error], what).to.deep.equal([expected, error])
}

/** An answer that says no more than this: why it refuses. */
export function expectRefusal(
  { status, body, text }: Answer,
  expected: number,
  error: string,
  description: string,
) {
  expect({ status, ...body }, text).to.deep.equal({
    status: expected,
    error,
    error_description: description,
  })
}

/** The ids of records, rows or impersonations. */
export const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)
