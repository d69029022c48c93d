import {
  ifRight,
  isAbsentOr,
  isExactly,
  isInteger,
  isListOf,
  isObjectOf,
  isText,
} from './guards.ts'

/** The last link of a chain. */
export interface ChainHead {
  readonly writer: string
  readonly sequence: number
  readonly hash: string
}

/** What was removed from one chain. */
export interface RemovedFrom {
  readonly writer: string
  /** Entries up to this sequence may be removed. */
  readonly upTo: number
  /**
   * The first and the last sequence of each run of entries up to `upTo` that are still there: of rows on hold,
   * or not old enough.
   */
  readonly except: readonly (readonly [first: number, last: number])[]
}

/** The claims of a signed checkpoint: one of several, where there are many chains. */
export interface SignedClaims {
  readonly version: 1
  readonly time: number
  /** From 1 to `parts`. Each part has other chains. */
  readonly part: number
  readonly parts: number
  /**
   * What was removed is older than this, in milliseconds since the epoch; 0 where nothing is removed
   * because of its age.
   */
  readonly before: number
  readonly heads: readonly ChainHead[]
  readonly removed: readonly RemovedFrom[]
  /** Of an export: the SHA-256, base64url, of the lines that it stands for. */
  readonly content?: string | undefined
}

/** What the provider signs of a chain at its beginning. */
export interface Beginning {
  readonly version: 1
  /** The name of the writer. */
  readonly begins: string
  /** In milliseconds since the epoch. */
  readonly time: number
}

const isVersion = isExactly(1)

/** @returns `undefined` for claims that are no beginning */
export const beginningOf = ifRight(
  isObjectOf<Beginning>({ version: isVersion, begins: isText, time: isInteger }),
)

const isHead = isObjectOf<ChainHead>({ writer: isText, sequence: isInteger, hash: isText })

const isRun = (value: unknown): value is readonly [number, number] =>
  isListOf(isInteger)(value) && value.length === 2

/** @returns `undefined` for claims that this version cannot read */
export const claimsOf = ifRight(
  isObjectOf<SignedClaims>({
    version: isVersion,
    time: isInteger,
    part: isInteger,
    parts: isInteger,
    before: isInteger,
    heads: isListOf(isHead),
    removed: isListOf(
      isObjectOf<RemovedFrom>({ writer: isText, upTo: isInteger, except: isListOf(isRun) }),
    ),
    content: isAbsentOr(isText),
  }),
)
