/**
 * What was asked is refused, or cannot be done now. It says nothing of HTTP but the status: `answerProblems`
 * makes the answer of it, in one place.
 */
export abstract class DomainError extends Error {
  /** As `error` of an answer over HTTP. */
  abstract readonly error: string
  /** The status of an answer over HTTP. */
  abstract readonly statusCode: number
  /** In how many seconds it can be asked again. */
  readonly retryAfter: number | undefined

  /** What else an answer has. @param isForStaff a customer is not shown what an operator wrote */
  more(_isForStaff: boolean): object {
    return {}
  }
}

/** The storage of the audit cannot be read. It never reads as *not found*. */
export class Unreadable extends DomainError {
  override readonly name = 'Unreadable'
  override readonly error = 'temporarily_unavailable'
  override readonly statusCode = 503
  override readonly retryAfter = 5

  constructor(cause: unknown) {
    super('the audit cannot be read now', { cause })
  }
}
