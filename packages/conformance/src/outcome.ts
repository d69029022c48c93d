/** One request and its answer, without secrets. */
export interface Transaction {
  readonly what: string
  readonly request: string
  /** What came instead, where no answer did. */
  readonly answer: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The members of the body; none where it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>
  readonly transaction: Transaction
}

/** A statement of the profile does not hold. */
export class Violation extends Error {
  readonly transaction: Transaction | undefined
  constructor(message: string, answer?: Pick<Answer, 'transaction'>) {
    super(message)
    this.transaction = answer?.transaction
  }
}

/** A statement cannot be tested with this configuration. */
export class Skip extends Error {}
