import { storableKey } from './record.ts'

type Index =
  | 'id'
  | 'uid'
  | 'userCode'
  | 'grant'
  // look-ups of records that are listed, and the ended indices of a status list
  | 'account'
  | 'actor'
  | 'client'
  | 'ended'

/** The keys of one model. */
export class RedisKeys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The look-up of every record that is listed. */
  get all(): string {
    return `${this.#prefix}all`
  }

  of(index: Index, value: string): string {
    return this.to(index, storableKey(value))
  }

  /** For a value that is storable already. */
  to(index: Index, stored: string): string {
    return `${this.#prefix}${index}:${stored}`
  }
}
