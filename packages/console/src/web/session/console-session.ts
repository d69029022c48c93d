import type { ChangedEvent, MeAnswer } from '../answers.ts'
import { forgetDrafts, setDraftOwner } from './drafts.ts'
import { follow } from './follow.ts'
import type { AskOptions, Session } from './session.ts'
import type { SignIn } from './sign-in.ts'
import { listenToTabs, notifyTabs } from './tabs.ts'

/** The session of a person who signed in to the console. */
export class ConsoleSession implements Session {
  readonly me: MeAnswer
  readonly clockOffset: number
  readonly #signIn: SignIn
  readonly #closing = new AbortController()
  readonly #listeners = new Set<(change: ChangedEvent) => void>()
  readonly #liveListeners = new Set<(isLive: boolean) => void>()
  #alarms = 0
  #toDecide = 0
  #isLive = true
  hasNews = false

  private constructor(signIn: SignIn, me: MeAnswer, clockOffset: number) {
    this.#signIn = signIn
    this.me = me
    this.clockOffset = clockOffset
    setDraftOwner(me.id)
    const stop = listenToTabs((news) => {
      if (news.kind === 'changed') this.#notify(news.ids)
    })
    this.#closing.signal.addEventListener('abort', stop)
    void follow(
      (signal) => this.fetch('/stream', { signal }),
      this.#closing.signal,
      ({ ids = [], alarms = this.#alarms, toDecide = this.#toDecide, isOfRunning }) => {
        this.#alarms = alarms
        this.#toDecide = toDecide
        this.hasNews = true
        this.#notify(ids, isOfRunning)
      },
      (isLive) => {
        this.#isLive = isLive
        for (const listener of this.#liveListeners) listener(isLive)
      },
    )
  }

  /** @throws {ApiProblem | Unreachable} 403 where the person has no role */
  static async enter(signIn: SignIn): Promise<ConsoleSession> {
    const asked = Date.now()
    // The API of the same version answers it.
    const me = (await signIn.ask('/me')) as MeAnswer
    return new ConsoleSession(signIn, me, Math.round(me.now - (asked + Date.now()) / 2))
  }

  /** How many alarms are open, and requests wait for this person, as the stream said last. */
  get counts(): { readonly alarms: number; readonly toDecide: number } {
    return { alarms: this.#alarms, toDecide: this.#toDecide }
  }

  /** Whether the server tells of changes: otherwise, what is shown may be old. */
  get isLive(): boolean {
    return this.#isLive
  }

  onLive(listener: (isLive: boolean) => void): () => void {
    this.#liveListeners.add(listener)
    return () => {
      this.#liveListeners.delete(listener)
    }
  }

  async ask<T>(path: string, how?: AskOptions): Promise<T> {
    // The caller names the answer of the contract in `web/answers.ts`.
    return (await this.#signIn.ask(path, how)) as T
  }

  fetch(path: string, how?: AskOptions): Promise<Response> {
    return this.#signIn.fetch(path, how)
  }

  onChange(listener: (change: ChangedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  changed(...ids: string[]): void {
    notifyTabs({ kind: 'changed', ids })
    this.#notify(ids)
  }

  async signOut(): Promise<void> {
    if (this.me.role !== 'auditor') await this.ask('/running/end', { method: 'POST', body: {} })
    this.leave()
  }

  /** Signs out although what runs could not be ended. */
  leave(): void {
    forgetDrafts()
    this.close()
    this.#signIn.signOut()
  }

  /** Ends the stream. */
  close(): void {
    this.#closing.abort()
  }

  #notify(ids: readonly string[], isOfRunning = true): void {
    const change = { ids, alarms: this.#alarms, toDecide: this.#toDecide, isOfRunning }
    for (const listener of this.#listeners) listener(change)
  }
}
