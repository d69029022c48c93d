import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Provider } from 'oidc-provider-impersonation'
import { derivedKeys } from 'oidc-provider-impersonation/siblings'

const PURPOSE = 'impersonation audit'
/** Base64url: 132 bits. */
const MARK_LENGTH = 22

/** Marks entries until they are sealed, by a key that the storage does not have. */
export interface EntryMarks {
  /** @throws Error before a key is known */
  markOf(digest: string): string
  isRight(digest: string, mark: string): boolean
  /**
   * From now on it marks by the keys of this provider, if there is no secret.
   *
   * @throws TypeError where all keys are outside the process
   */
  attach(provider: Provider): void
}

/** @param secret the option of the audit */
export function marks(secret: string | undefined): EntryMarks {
  let keys: readonly Buffer[] =
    secret === undefined ? [] : [Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32))]

  const markBy = (key: Buffer, digest: string) =>
    createHmac('sha256', key).update(digest).digest('base64url').slice(0, MARK_LENGTH)

  return {
    markOf(digest) {
      const [key] = keys
      if (key) return markBy(key, digest)
      throw new Error('the audit belongs to no provider yet: see supportConsole() or attach()')
    },
    // At a rotation, other processes still mark by the key before: it stays in the set.
    isRight: (digest, mark) =>
      keys.some((key) => {
        const right = markBy(key, digest)
        return (
          mark.length === right.length && timingSafeEqual(Buffer.from(mark), Buffer.from(right))
        )
      }),
    attach(provider) {
      if (secret !== undefined) return
      keys = derivedKeys(provider, PURPOSE)
      if (keys.length > 0) return
      throw new TypeError(
        'the provider signs with keys outside the process: give the audit a secret, as createPostgresAudit({ secret })',
      )
    },
  }
}
