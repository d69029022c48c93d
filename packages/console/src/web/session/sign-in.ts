import { HOME_PATH } from '../kit/router.tsx'
import { request, requestJson } from './api.ts'
import {
  leaveToSignIn,
  leaveToSignOut,
  SignInFailed,
  type SignInTokens,
  signInSilently,
} from './oidc.ts'
import { IS_PROVIDER_HERE } from './provider.ts'
import { ApiProblem, type AskOptions, Unreachable } from './session.ts'
import { notifyTabs } from './tabs.ts'

/** A token is renewed this long before its end, or at two thirds of its life if it is short. */
const BEFORE_END_MS = 60_000
const PAUSE_AFTER_FAILURE_MS = 5000

/** An event of the window: what failed without a sign-in can be asked again. */
export const SIGNED_IN_AGAIN = 'signed in again'

/** Why a sign-in is over. */
export type End = 'expired' | 'other person' | 'signed out'

/** A signed-in person: their tokens, which are in this memory only, and the renewal of them. */
export class SignIn {
  readonly sub: string
  #tokens: SignInTokens | undefined
  #renewal: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #end: End | undefined
  readonly #onChange: (end: End | undefined) => void

  /** @param onChange is called where the sign-in is over, and where an expired one goes on */
  constructor(tokens: SignInTokens, onChange: (end: End | undefined) => void) {
    this.sub = tokens.sub
    this.#onChange = onChange
    this.#use(tokens)
    document.addEventListener('visibilitychange', this.#wake)
  }

  /** For the sign-out of the provider. */
  get idToken(): string | undefined {
    return this.#tokens?.idToken
  }

  /**
   * Asks the API of this page.
   *
   * @throws {ApiProblem | Unreachable}
   */
  ask(path: string, how: AskOptions = {}): Promise<unknown> {
    return this.#authorized((token) => requestJson(`${HOME_PATH}/api${path}`, token, how))
  }

  /** Asks, and resolves with the response itself. */
  fetch(path: string, how: AskOptions = {}): Promise<Response> {
    return this.#authorized((token) => request(`${HOME_PATH}/api${path}`, token, how))
  }

  /** Forgets the tokens. @param end what the page tells the person */
  end(end: End): void {
    if (this.#end) return
    this.#end = end
    if (end !== 'expired') this.#tokens = undefined
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#wake)
    this.#onChange(end)
  }

  /** Goes on after an expiry, where the person signed in again in another tab. */
  async resume(): Promise<void> {
    if (this.#end !== 'expired' || !IS_PROVIDER_HERE) return
    const tokens = await signInSilently().catch(() => undefined)
    if (tokens?.sub !== this.sub || this.#end !== 'expired') return
    this.#end = undefined
    this.#use(tokens)
    document.addEventListener('visibilitychange', this.#wake)
    this.#onChange(undefined)
    dispatchEvent(new Event(SIGNED_IN_AGAIN))
  }

  /** Tells the other tabs, forgets the tokens, and goes to the sign-out of the provider. */
  signOut(): void {
    const { idToken } = this
    notifyTabs({ kind: 'signed out' })
    this.end('signed out')
    leaveToSignOut(idToken)
  }

  async #authorized<T>(send: (token: string) => Promise<T>): Promise<T> {
    if (!this.#end && this.#isDue()) await this.#renew()
    const token = this.#token()
    try {
      return await send(token)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error
      // Another request can have renewed it meanwhile.
      if (this.#tokens?.accessToken === token) await this.#renew()
      // The provider did not answer: that passes, and the person need not sign in.
      if (!this.#end && this.#tokens?.accessToken === token) throw new Unreachable(error)
      return send(this.#token())
    }
  }

  #token(): string {
    if (this.#end || !this.#tokens)
      throw new ApiProblem(401, 'invalid_token', 'the sign-in is over')
    return this.#tokens.accessToken
  }

  #use(tokens: SignInTokens): void {
    this.#tokens = tokens
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#wake, Math.max(0, tokens.left() - leadOf(tokens)))
  }

  #isDue(): boolean {
    return this.#tokens !== undefined && this.#tokens.left() <= leadOf(this.#tokens)
  }

  /** Timers stop while the machine sleeps: a page that is seen again looks at the clock. */
  readonly #wake = (): void => {
    if (this.#end || !this.#isDue()) return
    // A redirect would take the page away from under the person: it waits for a request.
    if (IS_PROVIDER_HERE) void this.#renew()
  }

  /** Renews once for all that wait. Never throws: a request with the old token tells the rest. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#renewNow().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renewNow(): Promise<void> {
    if (this.#end) return
    if (!IS_PROVIDER_HERE) {
      await leaveToSignIn('none')
      // The browser leaves: nothing that waits for the new token goes on.
      return new Promise(() => {})
    }
    try {
      const tokens = await signInSilently()
      if (this.#end) return
      if (!tokens) this.end('expired')
      else if (tokens.sub !== this.sub) this.end('other person')
      else this.#use(tokens)
    } catch (error) {
      if (error instanceof SignInFailed) this.end('expired')
      else this.#timer = setTimeout(this.#wake, PAUSE_AFTER_FAILURE_MS)
    }
  }
}

function leadOf({ lifetime }: SignInTokens): number {
  return Math.min(BEFORE_END_MS, lifetime / 3)
}
