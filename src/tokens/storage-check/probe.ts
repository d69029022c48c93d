import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { AdapterPayload } from 'oidc-provider'
import { epochSeconds, limitTime } from '../../shared/time.ts'

/** How many calls consume or end the probe record at once. */
export const CALLER_COUNT = 20
/** How long the probe record lives, in seconds, should it not be possible to remove it. */
export const PROBE_LIFE = 60

/**
 * A record in the form of a subject token's. No token value maps to it, so it can never be
 * redeemed.
 */
export function probe(id: string, expiresIn: number): AdapterPayload {
  return {
    iat: epochSeconds(),
    exp: epochSeconds() + expiresIn,
    jti: id,
    kind: 'SubjectToken',
    iss: 'https://storage-check.invalid',
    accountId: 'storage-check',
    clientId: 'storage-check',
    context: '{"ticketId":"storage-check"}',
    binding: '{"mayAct":{"sub":"storage-check"}}',
  }
}

export type Attempt = <T>(
  method: string,
  call: () => Promise<T>,
  /** Describes the failed operation in an error, instead of the method's name. */
  explain?: (error: unknown) => string | undefined,
) => Promise<T>

/** Calls the adapter; what it rejects with becomes the cause of a sentence. */
export function attempts(timeoutMs: number): Attempt {
  return async (method, call, explain) => {
    const tooLate = () => wrong(`${method} does not answer within ${timeoutMs} ms`)
    try {
      return await limitTime(timeoutMs, call(), tooLate)
    } catch (error) {
      if (error instanceof StorageProblem) throw error
      const description = unreachable(error) ?? explain?.(error)
      throw wrong(description ?? `${method} rejects for a SubjectToken record`, error)
    }
  }
}

/**
 * Node's codes for a storage that cannot be reached; AggregateError for a host name with several
 * addresses.
 */
function unreachable(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/.test(code)) {
    return undefined
  }
  return `it cannot be reached (${code})`
}

class StorageProblem extends Error {}

export function wrong(sentence: string, cause?: unknown): Error {
  const message = `The storage adapter cannot keep subject tokens: ${sentence}.`
  return new StorageProblem(message, ...(cause === undefined ? [] : [{ cause }]))
}

export function shown(value: unknown): string {
  return `${typeof value} ${inspect(value)}`
}

export function randomId(): string {
  return randomBytes(32).toString('base64url')
}
