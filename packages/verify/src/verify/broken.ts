/** The place of a fault. */
export interface Position {
  /** The number of the entry. */
  readonly entry?: number | undefined
  /** Of the file, from 1. */
  readonly line?: number | undefined
}

/** The audit is not what the provider vouched for. */
export class Broken extends Error {
  override name = 'Broken'
  readonly position: Position

  constructor(message: string, position: Position, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.position = position
  }
}
