import {
  listOf,
  objectOf,
  oneOf,
  optional,
  type Parser,
  text,
  unlessWrong,
  wholeNumber,
} from './parsers.ts'

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

const anyNumber = wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
const anyText = text(0, Number.POSITIVE_INFINITY)
const version = oneOf([1])

/** @returns `undefined` for claims that are no beginning */
export const beginningOf = unlessWrong(
  objectOf<Beginning>({ version, begins: anyText, time: anyNumber }),
)

const run: Parser<readonly [number, number]> = (value, path) => {
  const [first, last, ...others] = listOf(anyNumber)(value, path)
  if (first !== undefined && last !== undefined && others.length === 0) return [first, last]
  throw new TypeError(`${path} must be two numbers`)
}

/** @returns `undefined` for claims that this version cannot read */
export const claimsOf = unlessWrong(
  objectOf<SignedClaims>({
    version,
    time: anyNumber,
    part: anyNumber,
    parts: anyNumber,
    before: anyNumber,
    heads: listOf(objectOf<ChainHead>({ writer: anyText, sequence: anyNumber, hash: anyText })),
    removed: listOf(
      objectOf<RemovedFrom>({ writer: anyText, upTo: anyNumber, except: listOf(run) }),
    ),
    content: optional(anyText),
  }),
)
