import type {
  AccountAnswer,
  AccountEndBody,
  AccountRunningAnswer,
  ObjectionAnswer,
  ObjectionBody,
} from '../../api/account/answers.ts'
import type { AccountPausesAnswer } from '../../api/pauses/answers.ts'
import type { AccountPermitsAnswer, AccountSwitch } from '../../api/permits/answers.ts'
import type { StandingChoice } from '../../permits/options.ts'
import { language } from '../kit/text.tsx'
import { forgetDrafts, setDraftOwner } from '../session/drafts.ts'
import type { SignIn } from '../session/sign-in.ts'
import { listenToTabs, notifyTabs } from '../session/tabs.ts'

/** The session of a customer at the account page. */
export class AccountSession {
  readonly #signIn: SignIn

  constructor(signIn: SignIn) {
    this.#signIn = signIn
    setDraftOwner(signIn.subject)
  }

  async running(signal: AbortSignal): Promise<AccountRunningAnswer> {
    const path = `/running?${new URLSearchParams({ language })}`
    // The API of the same version answers it.
    return (await this.#signIn.ask(path, { signal })) as AccountRunningAnswer
  }

  /** @param before the `next` of the page before; without it, the newest */
  async past(before: string | undefined, signal?: AbortSignal): Promise<AccountAnswer> {
    const query = new URLSearchParams({ language, ...(before === undefined ? {} : { before }) })
    const how = signal ? { signal } : {}
    // The API of the same version answers it.
    return (await this.#signIn.ask(`/impersonations?${query}`, how)) as AccountAnswer
  }

  async end(id: string): Promise<void> {
    const body: AccountEndBody = { id }
    await this.#signIn.ask('/end', { method: 'POST', body })
    notifyTabs({ kind: 'changed', ids: [id] })
  }

  /** Who may not act as the customer. */
  async pauses(signal: AbortSignal): Promise<AccountPausesAnswer> {
    return (await this.#signIn.ask('/pauses', { signal })) as AccountPausesAnswer
  }

  /** Tells the leads that the customer did not ask for it. */
  async object(id: string, note: string): Promise<ObjectionAnswer> {
    const body: ObjectionBody = note === '' ? { id } : { id, note }
    const answer = await this.#signIn.ask('/objection', { method: 'POST', body })
    notifyTabs({ kind: 'changed', ids: [id] })
    // The API of the same version answers it.
    return answer as ObjectionAnswer
  }

  /** @returns `undefined` where the deployment asks customers nothing */
  async permits(signal: AbortSignal): Promise<AccountPermitsAnswer | undefined> {
    return (await this.#signIn.ask('/permits', { signal })) as AccountPermitsAnswer | undefined
  }

  async say(what: 'grant' | 'lift' | 'refuse' | 'revoke', id: string): Promise<void> {
    await this.#signIn.ask(`/permits/${what}`, { method: 'POST', body: { id } })
    notifyTabs({ kind: 'changed', ids: [id] })
  }

  async choose(choice: StandingChoice): Promise<AccountSwitch> {
    const how = { method: 'POST', body: { choice } } as const
    const standing = await this.#signIn.ask('/permits/standing', how)
    notifyTabs({ kind: 'changed', ids: [] })
    return standing as AccountSwitch
  }

  /** Is told of what another tab did. */
  onChange(listener: () => void): () => void {
    return listenToTabs(({ kind }) => kind === 'changed' && listener())
  }

  signOut(): void {
    forgetDrafts()
    this.#signIn.signOut()
  }

  close(): void {}
}
