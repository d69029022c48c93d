import { forgetDrafts, setDraftOwner } from './drafts.ts'
import type { AskOptions } from './session.ts'
import type { SignIn } from './sign-in.ts'
import { listenToTabs, notifyTabs } from './tabs.ts'

/** The session of a customer at the account page. */
export class CustomerSession {
  readonly #signIn: SignIn

  constructor(signIn: SignIn) {
    this.#signIn = signIn
    setDraftOwner(signIn.sub)
  }

  /**
   * Asks the API of the account page: `path` is below `{account.path}/api`. `undefined` where it answers 204.
   *
   * @throws {ApiProblem | Unreachable}
   */
  async ask<T>(path: string, how?: AskOptions): Promise<T> {
    // The API of the same version answers it.
    return (await this.#signIn.ask(path, how)) as T
  }

  /** As {@link ask}: changes something, and tells the other tabs. @param ids of what changes */
  async post<T>(path: string, body: object, ...ids: string[]): Promise<T> {
    const answer = await this.#signIn.ask(path, { method: 'POST', body })
    notifyTabs({ kind: 'changed', ids })
    return answer as T
  }

  /** Is told of what another tab did. */
  onChange(listener: (change: undefined) => void): () => void {
    return listenToTabs(({ kind }) => kind === 'changed' && listener(undefined))
  }

  signOut(): void {
    forgetDrafts()
    this.#signIn.signOut()
  }

  close(): void {}
}
