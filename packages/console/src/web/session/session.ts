import type { ChangedEvent, MeAnswer } from '../answers.ts'

/** What pages know of the signed-in person, and how they ask the API. */
export interface Session {
  readonly me: MeAnswer
  /** Milliseconds to add to `Date.now()`, to have the time of the server. */
  readonly clockOffset: number
  /**
   * Asks the API of the console. `path` is below `{path}/api`: `/running`. The sign-in is renewed
   * where it ended.
   *
   * @throws {ApiProblem | Unreachable}
   */
  ask<T>(path: string, how?: AskOptions): Promise<T>
  /** Asks, and answers the response itself: for exports. */
  fetch(path: string, how?: AskOptions): Promise<Response>
  /** How many alarms are open, and requests wait for this person, as the stream said last. */
  readonly counts: { readonly alarms: number; readonly toDecide: number }
  /** Whether the stream has begun to tell of changes: at its first news, what is shown is loaded. */
  readonly hasNews: boolean
  /** Is told of each change, from the stream, and of a change that this browser made in any tab. */
  onChange(listener: (change: ChangedEvent) => void): () => void
  /** Tells the other tabs of this browser that something changed. */
  changed(...ids: string[]): void
  /** Ends what runs, and signs out at the provider. */
  signOut(): Promise<void>
}

export interface AskOptions {
  readonly method?: 'GET' | 'POST'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** The API answered with an error. */
export class ApiProblem extends Error {
  readonly status: number
  readonly error: string
  /** The whole answer. */
  readonly body: object

  constructor(status: number, error: string, description: string, body: object = {}) {
    super(description)
    this.name = 'ApiProblem'
    this.status = status
    this.error = error
    this.body = body
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('there is no answer', { cause })
    this.name = 'Unreachable'
  }
}
