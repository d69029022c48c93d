import type { AuditRow, Outcome } from 'oidc-provider-impersonation-verify/format'
import { useEffect, useState } from 'preact/hooks'
import type { RowAnswer, RunningAnswer, RunningImpersonation } from '../../../../web/answers.ts'
import { eachSecond, serverTime } from '../../../../web/session/clock.ts'
import type { Session } from '../../../../web/session/session.ts'
import { onePerSession } from '../../../../web/session/watch.ts'

/** One that ran, as this page saw it. */
export interface Gone {
  readonly impersonation: RunningImpersonation
  /** When this page learned of it, by the clock of the server. */
  readonly at: number
  /** How it ended; `undefined` while that is not known. */
  readonly outcome: Outcome | undefined
  /** Who ended it, and what they said of it. */
  readonly end?: AuditRow['end']
  /** Whether the reader ended it: in this tab, or in another one. */
  readonly isByReader?: boolean | undefined
  /** Whether the customer said that they did not ask for it. */
  readonly isObjected?: boolean | undefined
}

/** What runs now, and what ran a moment ago. */
export interface Live {
  /** `undefined` before the first answer. Oldest first. */
  readonly running: readonly RunningImpersonation[] | undefined
  readonly gone: readonly Gone[]
  /** Whether more run than the answer holds. */
  readonly more: boolean
  /** Why the last request failed: the list may be older than it looks. */
  readonly error: unknown
}

/** How long one that is over is remembered, in milliseconds of wall time. */
export const OVER_REMEMBERED_MS = 10 * 60_000
/** Pauses before a failed request is made again, in milliseconds. */
const RETRY_PAUSES_MS = [1000, 2000, 5000, 10_000] as const
/** Without any news, the list is loaded again after this time: a proxy may hold the stream back. */
const MAX_WITHOUT_NEWS_MS = 30_000
/** How long the first news of the stream may take. */
const MAX_WAIT_FOR_NEWS_MS = 1000
/** How many ends at once are looked up in the audit. */
const LOOKED_UP = 5

/** What runs, kept up to date while a component shows it. One for all components of a session. */
export class LiveRunning {
  readonly #session: Session
  readonly #listeners = new Set<() => void>()
  #state: Live = { running: undefined, gone: [], more: false, error: undefined }
  #loading: Promise<void> | undefined
  #isStale = false
  #failures = 0
  #nextLoad = 0
  #stop: (() => void) | undefined

  constructor(session: Session) {
    this.#session = session
  }

  get state(): Live {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop?.()
    }
  }

  /** Loads the list; once more, if it is being loaded: that answer may be older than the change. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#isStale = true
      return this.#loading
    }
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined
      if (!this.#isStale) return
      this.#isStale = false
      void this.reload()
    })
    return this.#loading
  }

  /** Shows at once what this page has ended; the list is loaded then. */
  ended(impersonation: RunningImpersonation): void {
    const { id: by, name } = this.#session.me
    const end = { at: this.#now, cause: 'requested', by, name } as const
    this.#leave([{ impersonation, at: end.at, outcome: end.cause, end, isByReader: true }])
    void this.reload()
  }

  get #now() {
    return serverTime(this.#session)
  }

  #start(): void {
    // Else the first news of the stream loads the list, once, and the clock where none comes.
    if (this.#session.hasNews) void this.reload()
    else this.#nextLoad = Date.now() + MAX_WAIT_FOR_NEWS_MS
    const stops = [
      this.#session.onChange(({ isOfRunning }) => isOfRunning && void this.reload()),
      eachSecond(() => this.#tick()),
    ]
    const seen = () => {
      if (document.visibilityState === 'visible') void this.reload()
    }
    document.addEventListener('visibilitychange', seen)
    stops.push(() => document.removeEventListener('visibilitychange', seen))
    this.#stop = () => {
      for (const stop of stops) stop()
    }
  }

  /** Lets what expired leave, forgets what left long ago, and loads again where that is due. */
  #tick(): void {
    const now = this.#now
    const expired = (this.#state.running ?? []).filter(({ expiresAt }) => expiresAt <= now)
    if (expired.length > 0) {
      this.#leave(expired.map((it) => ({ impersonation: it, at: now, outcome: 'expired' })))
    }
    const gone = this.#state.gone.filter(({ at }) => now - at < OVER_REMEMBERED_MS)
    if (gone.length < this.#state.gone.length) this.#change({ gone })
    if (Date.now() >= this.#nextLoad && !this.#loading) void this.reload()
  }

  async #load(): Promise<void> {
    try {
      const answer = await this.#session.ask<RunningAnswer>('/running')
      this.#failures = 0
      this.#nextLoad = Date.now() + MAX_WITHOUT_NEWS_MS
      this.#take(answer)
    } catch (error) {
      this.#nextLoad =
        Date.now() + (RETRY_PAUSES_MS[Math.min(this.#failures, RETRY_PAUSES_MS.length - 1)] ?? 0)
      this.#failures += 1
      this.#change({ error })
    }
  }

  #take({ running: answered, more }: RunningAnswer): void {
    const now = this.#now
    const known = new Map(this.#state.running?.map((it) => [it.id, it]))
    const running = answered
      .filter(({ expiresAt }) => expiresAt > now)
      .map((it) => withNames(it, known.get(it.id)))
    const ids = new Set(running.map(({ id }) => id))
    // Beyond the end of a list that was cut, what is not in it may run. The reader's own are all in it.
    const left = (this.#state.running ?? []).filter(
      ({ id, isMine }) => !ids.has(id) && (isMine || !more),
    )
    const gone = this.#state.gone.filter(({ impersonation }) => !ids.has(impersonation.id))
    this.#change({ running, more, gone, error: undefined })
    this.#leave(left.map((it) => ({ impersonation: it, at: now, outcome: outcomeNow(it, now) })))
    for (const it of left.slice(0, LOOKED_UP)) {
      if (!outcomeNow(it, now)) void this.#lookUp(it.id)
    }
  }

  #leave(left: readonly Gone[]): void {
    if (left.length === 0) return
    const ids = new Set(left.map(({ impersonation }) => impersonation.id))
    this.#change({
      running: this.#state.running?.filter(({ id }) => !ids.has(id)),
      gone: [...this.#state.gone.filter((it) => !ids.has(it.impersonation.id)), ...left],
    })
  }

  /** The audit knows how it ended. Without an answer, the page says only that it did. */
  async #lookUp(id: string): Promise<void> {
    try {
      const row = await this.#session.ask<RowAnswer>(`/audit/${encodeURIComponent(id)}`)
      const { outcome, end } = row
      if (outcome === 'running' || outcome === 'waiting') return
      const isByReader = end?.by === this.#session.me.id
      const isObjected = row.objection !== undefined
      this.#change({
        gone: this.#state.gone.map((it) =>
          it.impersonation.id === id ? { ...it, outcome, end, isByReader, isObjected } : it,
        ),
      })
    } catch {
      // The row says "over", which is true.
    }
  }

  #change(change: Partial<Live>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Names are of the audit: where it cannot be read for a moment, those from before stay. */
function withNames(
  it: RunningImpersonation,
  before: RunningImpersonation | undefined,
): RunningImpersonation {
  if (!before) return it
  const customer = it.customer.name === undefined ? before.customer : it.customer
  const operator = it.operator?.name === undefined ? before.operator : it.operator
  return { ...it, customer, ...(operator && { operator }) }
}

/** An end that came with the last second was expiry. */
function outcomeNow({ expiresAt }: RunningImpersonation, now: number): Outcome | undefined {
  return expiresAt <= now + 1000 ? 'expired' : undefined
}

export const liveOf = onePerSession((session) => new LiveRunning(session))

/** What runs now. The component is drawn again at each change. */
export function useRunning(session: Session): Live {
  const live = liveOf(session)
  const [state, setState] = useState(live.state)
  useEffect(() => {
    setState(live.state)
    return live.subscribe(() => setState(live.state))
  }, [live])
  return state
}
