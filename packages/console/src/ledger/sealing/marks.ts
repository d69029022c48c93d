import { createHmac, type KeyObject } from 'node:crypto'
import type { Provider } from 'oidc-provider-impersonation'
import { derivedKeys } from 'oidc-provider-impersonation/siblings'

const PURPOSE = 'impersonation audit'
/** Base64url: 132 bits. */
const MARK_LENGTH = 22

/** Marks what a process stores, by keys that the storage does not have. */
export type Marks = ReturnType<typeof marks>

/** @param kinds of keys: the first of each marks */
export function marks(kinds: readonly (readonly (Buffer | KeyObject)[])[] = []) {
  const markBy = (key: Buffer | KeyObject, text: string) =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, MARK_LENGTH)

  return {
    /** @throws Error before a key is known */
    markOf(text: string): string {
      const marked = kinds.flatMap(([key]) => (key ? markBy(key, text) : []))
      if (marked.length > 0) return marked.join('.')
      throw new Error('the audit belongs to no provider yet: see supportConsole() or attach()')
    },
    // If all keys of one kind are replaced, the other kind shows that a process of the deployment wrote it.
    isRight(text: string, mark: string): boolean {
      const marked = mark.split('.')
      return kinds.flat().some((key) => marked.includes(markBy(key, text)))
    },
    /**
     * From now on it marks by the keys of this provider.
     *
     * @throws TypeError where all keys are outside the process
     */
    attach(provider: Provider): void {
      kinds = derivedKeys(provider, PURPOSE)
      if (kinds.flat().length > 0) return
      throw new TypeError(
        'the provider signs with keys outside the process: the audit needs cookies.keys, as a list',
      )
    },
  }
}
