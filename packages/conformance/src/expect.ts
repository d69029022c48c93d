import { type Answer, Violation } from './outcome.ts'

/** @throws Violation unless it holds */
export function check(holds: boolean, message: string, answer?: Answer): void {
  if (!holds) throw new Violation(message, answer)
}

export function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

export function expectEqual(actual: unknown, wanted: unknown, what: string, answer?: Answer): void {
  const isEqual = JSON.stringify(actual) === JSON.stringify(wanted)
  check(isEqual, `${what} is ${shown(actual)}, and must be ${shown(wanted)}`, answer)
}

/** An error with this status and one of these codes. */
export function expectRefusal(answer: Answer, status: number, ...codes: string[]): void {
  check(
    answer.status === status,
    `${answer.transaction.what}: the status is ${answer.status}, and must be ${status}`,
    answer,
  )
  const { error } = answer.json
  check(
    codes.length === 0 || codes.some((code) => code === error),
    `${answer.transaction.what}: error is ${shown(error)}, and must be ${codes.join(' or ')}`,
    answer,
  )
}

export function expectGrant(answer: Answer): string {
  const { access_token: token } = answer.json
  check(
    answer.status === 200 && typeof token === 'string',
    `${answer.transaction.what}: the status is ${answer.status}, and must be 200 with an access token`,
    answer,
  )
  return String(token)
}

export function expectNoStore(answer: Answer): void {
  const value = answer.headers.get('cache-control') ?? undefined
  check(
    value?.split(',').some((one) => one.trim().toLowerCase() === 'no-store') === true,
    `${answer.transaction.what}: Cache-Control is ${shown(value)}, and must have no-store`,
    answer,
  )
}

export function expectJson(answer: Answer): void {
  const type = answer.headers.get('content-type') ?? undefined
  check(
    type !== undefined && /^application\/json\b/i.test(type),
    `${answer.transaction.what}: Content-Type is ${shown(type)}, and must be application/json`,
    answer,
  )
}

/** The same refusal, word for word: a client learns nothing from the difference. */
export function expectSame(answer: Answer, known: Answer, what: string): void {
  const partsOf = ({ status, json }: Answer) => [status, json.error, json.error_description]
  expectEqual(
    partsOf(answer),
    partsOf(known),
    `the refusal of ${what} (status, error, text)`,
    answer,
  )
}
