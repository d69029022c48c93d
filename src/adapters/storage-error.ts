/**
 * What the adapters of this package reject with when their storage fails. It holds nothing of what
 * was sent: no key, no payload, no part of them. The driver's own error is not kept, not even as
 * `cause`, since drivers put arguments and rows into theirs (ioredis `command.args`, pg `detail`).
 */
export class StorageError extends Error {
  override name = 'StorageError'

  /** The driver's, where it has one: an SQLSTATE, `ECONNREFUSED`, the first word of Redis (`OOM`). */
  readonly code?: string

  /** The name of the driver's error: `ReplyError`, `DatabaseError`. */
  readonly driverError: string

  constructor(message: string, { code, driverError }: { code?: string; driverError: string }) {
    super(message)
    if (code !== undefined) this.code = code
    this.driverError = driverError
  }
}

/** A copy for one of several requests that a failure concerns: handlers write to errors. */
export function errorOfItsOwn(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error
  const copy = new StorageError(error.message, error)
  if (error.stack !== undefined) copy.stack = error.stack
  return copy
}

/**
 * The maximum message length: a server's own message is shorter; quoted statements and rows are
 * longer.
 */
const MAX_MESSAGE_LENGTH = 300
/** A shorter text reveals nothing of a token and can be in a message by chance. */
const MIN_WHOLE_VALUE = 4
/** A common part of this many characters counts as a piece of the value that was sent. */
const MIN_PIECE_LENGTH = 8

/**
 * The error to reject with instead of the driver's.
 *
 * @param sent what must not stand in it: every key and value of the command that failed
 * @param explain what to do, by the error's code
 */
export function storageError(
  error: unknown,
  sent: readonly unknown[],
  explain: (code: string | undefined) => string | undefined = () => undefined,
): StorageError {
  if (error instanceof StorageError) return error
  const code = codeOf(error)
  const reason = describeReason(error, sent)
  const remedy = explain(code)
  return new StorageError(remedy ? `${remedy} (${reason})` : reason, {
    driverError: error instanceof Error ? (word(error.name) ?? 'Error') : typeof error,
    ...(code === undefined ? {} : { code }),
  })
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error) return word(error.code)
  return redisCode(error.message)
}

/** A Redis error starts with its code: https://redis.io/docs/latest/develop/reference/protocol-spec */
function redisCode(message: string): string | undefined {
  return /^([A-Z]{2,20}) /.exec(message)?.[1]
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^\w{1,50}$/.test(value) ? value : undefined
}

function describeReason(error: unknown, sent: readonly unknown[]): string {
  if (!(error instanceof Error)) return 'the driver rejected with something that is no Error'
  // A host name with several addresses: the error of each is inside.
  if (error instanceof AggregateError && !error.message) {
    return error.errors.map((inner) => describeReason(inner, sent)).join(', ')
  }
  return withoutValues(error.message.slice(0, MAX_MESSAGE_LENGTH), sent) || 'no reason given'
}

/** The text, with every part that it shares with a value replaced. */
function withoutValues(text: string, values: readonly unknown[]): string {
  const secrets = values.filter((value) => typeof value === 'string')
  const hidden = new Set<number>()
  const hide = (start: number, length: number) => {
    for (let i = start; i < start + length; i += 1) hidden.add(i)
  }
  for (const secret of secrets) {
    if (secret.length < MIN_WHOLE_VALUE) continue
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      hide(at, secret.length)
    }
  }
  // Servers truncate long values and quote them.
  for (let at = 0; at + MIN_PIECE_LENGTH <= text.length; at += 1) {
    const piece = text.slice(at, at + MIN_PIECE_LENGTH)
    if (secrets.some((secret) => secret.includes(piece))) hide(at, MIN_PIECE_LENGTH)
  }
  return Array.from({ length: text.length }, (_, at) => {
    if (!hidden.has(at)) return text[at]
    return hidden.has(at - 1) ? '' : '…'
  }).join('')
}
