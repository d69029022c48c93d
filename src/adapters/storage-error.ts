/**
 * The error with which the adapters of this package reject if their storage fails. It names the
 * driver's error by its code and its name. It holds no text of the driver, not even as `cause`,
 * because drivers put arguments and rows into theirs (ioredis `command.args`, pg `detail`).
 */
export class StorageError extends Error {
  override name = 'StorageError'

  /**
   * The driver's code, if it has one: an SQLSTATE, `ECONNREFUSED`, the first word of Redis
   * (`OOM`).
   */
  readonly code?: string

  /** The name of the driver's error: `ReplyError`, `DatabaseError`. */
  readonly driverError: string

  constructor(message: string, { code, driverError }: { code?: string; driverError: string }) {
    super(message)
    if (code !== undefined) this.code = code
    this.driverError = driverError
  }
}

/** Makes a copy for one of several failed requests, because handlers write to errors. */
export function errorOfItsOwn(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error
  const copy = new StorageError(error.message, error)
  if (error.stack !== undefined) copy.stack = error.stack
  return copy
}

/**
 * Makes the error to reject with instead of the driver's.
 *
 * @param storage - its name, for the message
 * @param explain - the remedy, by the error's code
 */
export function storageError(
  storage: 'PostgreSQL' | 'Redis' | 'SQLite',
  error: unknown,
  explain: (code: string | undefined) => string | undefined = () => undefined,
): StorageError {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  const driverError = nameOf(error)
  const known = [driverError === 'Error' ? undefined : driverError, code, resultCode(error)]
  const reason = `${storage} failed: ${known.filter(Boolean).join(' ') || driverError}`
  const remedy = explain(code)
  return new StorageError(remedy ? `${remedy} (${reason})` : reason, {
    driverError,
    ...(code === undefined ? {} : { code }),
  })
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  // Many drivers name their classes, and not the errors of them.
  const { name } = error.name === 'Error' ? error.constructor : error
  return word(name, /^[a-z]{1,50}$/i) ?? 'Error'
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error) return word(error.code, /^[A-Z][A-Z_]{1,49}$|^[A-Z0-9]{5}$/)
  // A host name with several addresses. The error of each is inside.
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  // A Redis error starts with its code: https://redis.io/docs/latest/develop/reference/protocol-spec
  return /^([A-Z]{2,20}) /.exec(error.message)?.[1]
}

/** Result codes of SQLite: https://sqlite.org/rescode.html */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined
}

function word(value: unknown, format: RegExp): string | undefined {
  return typeof value === 'string' && format.test(value) ? value : undefined
}
