import { expect } from 'chai'
import { type Caller, RequestRefused } from '../src/index.ts'

/** Returns the error that refused a request. */
export async function refusal(answer: Promise<unknown>): Promise<RequestRefused> {
  const refused = await answer.then(
    () => 'it passed',
    (error: unknown) => error,
  )
  if (!(refused instanceof RequestRefused)) throw new Error(`not refused: ${refused}`)
  return refused
}

/** Expects a request to be refused in these words. */
export async function expectRefused(
  answer: Promise<unknown>,
  told: Partial<RequestRefused>,
): Promise<void> {
  expect(await refusal(answer)).to.include(told)
}

/** Expects trouble of the API, which is no 401, and returns it. Nothing passes. */
export async function trouble(answer: Promise<unknown>): Promise<Error> {
  const failure = await answer.catch((error: unknown) => error)
  expect(failure).to.be.instanceOf(Error).and.not.instanceOf(RequestRefused)
  return failure as Error
}

/** Expects a request to pass, as one of alice. */
export async function expectAlice(answer: Promise<Caller>): Promise<void> {
  expect((await answer).userId).to.equal('alice')
}
