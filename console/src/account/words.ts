/** A request that an operator made, as it is told to the customer. */
export interface ToldUse {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly status: number | undefined
  /** Whether the API refused it. */
  readonly refused: boolean
  /** The audience of the API. */
  readonly audience: string
}

/**
 * Says in the words of the application what a request did: `Looked at your orders`. `undefined` hides
 * it.
 */
export type UseInWords = (use: ToldUse, language: 'de' | 'en') => string | undefined
