import { statusListId } from '../ending-contract.ts'
import { storableKey } from '../record.ts'

type Index =
  | 'id'
  | 'uid'
  | 'userCode'
  | 'grant'
  // look-ups of records that are listed
  | 'account'
  | 'actor'
  | 'client'

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

  /**
   * The record of a status list. Its ended indices are fields of the same hash, so that they are lost
   * together: guards refuse where there is no list.
   */
  ofList(list: string): string {
    return this.of('id', statusListId(list))
  }

  of(index: Index, value: string): string {
    return this.to(index, storableKey(value))
  }

  /** For a value that is storable already. */
  to(index: Index, stored: string): string {
    return `${this.#prefix}${index}:${stored}`
  }
}
