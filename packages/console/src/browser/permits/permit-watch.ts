import type { PermitAnswer, PermitPageAnswer, PermitsAnswer } from '../../api/permits/answers.ts'
import { soon } from '../kit/soon.ts'
import { keepIds, readIds } from '../session/drafts.ts'
import type { Session } from '../session/session.ts'

/** How often it is looked whether a request of the reader was decided, in milliseconds. */
const LOOK_EVERY_MS = 15_000

/** What this tab remembers over a reload: requests that wait, and decisions that the reader has seen. */
const WAITING_IDS = 'permits that wait'
const SEEN_IDS = 'permits seen'
const MAX_SEEN = 50

/** The open permits that the reader is shown, kept up to date. One for the frame and the pages. */
export class PermitWatch {
  /** Newest first. */
  permits: readonly PermitAnswer[] = []
  /** All emergencies that nobody has looked at, newest first. They are read by themselves. */
  toReview: readonly PermitAnswer[] = []
  /** The `before` of the next page. */
  next: string | undefined
  state: 'failed' | 'loading' | 'ready' = 'loading'
  problem: unknown
  readonly #session: Session
  readonly #listeners = new Set<(decided: readonly PermitAnswer[]) => void>()
  #stop: (() => void) | undefined
  #toDecide = -1
  readonly #known = new Set<string>()

  static of(session: Session): PermitWatch {
    const watch = watches.get(session) ?? new PermitWatch(session)
    watches.set(session, watch)
    return watch
  }

  constructor(session: Session) {
    this.#session = session
  }

  /**
   * @param listener is told of each change, with the requests of the reader that were decided
   * @returns a function that stops it
   */
  listen(listener: (decided: readonly PermitAnswer[]) => void): () => void {
    this.#listeners.add(listener)
    this.#stop ??= this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** Reads the permits. A failure is kept in `problem`. */
  async load(): Promise<void> {
    try {
      const [toReview, { permits, next }] = await Promise.all([
        this.#allToReview(),
        this.#session.ask<PermitsAnswer>('/permits?open=true'),
      ])
      this.toReview = toReview
      this.permits = permits
      this.next = next
      this.state = 'ready'
      this.problem = undefined
      this.#notify([...(await this.#refused()), ...this.#granted()])
    } catch (problem) {
      this.problem = problem
      if (this.state === 'loading') this.state = 'failed'
      this.#notify([])
    }
  }

  async #allToReview(): Promise<readonly PermitAnswer[]> {
    const all: PermitAnswer[] = []
    for (let before: string | undefined; ; ) {
      const query = new URLSearchParams({
        review: 'true',
        ...(before === undefined ? {} : { before }),
      })
      const { permits, next } = await this.#session.ask<PermitsAnswer>(`/permits?${query}`)
      all.push(...permits)
      if (next === undefined) return all
      before = next
    }
  }

  /** The reader has seen a decision: it is not told again in this tab. */
  seen(id: string): void {
    keepIds(SEEN_IDS, [...readIds(SEEN_IDS).slice(-MAX_SEEN), id])
  }

  /** What the reader may act by since the last look, or since no page of theirs was open. */
  #granted(): readonly PermitAnswer[] {
    const seen = readIds(SEEN_IDS)
    const granted = this.permits.filter(
      ({ id, isMine, kind, state }) =>
        isMine && kind === 'approval' && state === 'granted' && !seen.includes(id),
    )
    const news = granted.filter(({ id }) => !this.#known.has(id))
    for (const { id } of news) this.#known.add(id)
    return news
  }

  /** The requests of the reader that waited, also before a reload, and are not open any more. */
  async #refused(): Promise<readonly PermitAnswer[]> {
    const waited = readIds(WAITING_IDS)
    const waits = this.permits.filter(({ isMine, state }) => isMine && state === 'requested')
    keepIds(
      WAITING_IDS,
      waits.map(({ id }) => id),
    )
    const decided = await Promise.all(
      waited.map(async (id) => {
        const waits = ({ id: each, state }: PermitAnswer) => each === id && state === 'requested'
        if (this.permits.some(waits)) return []
        const path = `/permits/${encodeURIComponent(id)}`
        const answer = await this.#session.ask<PermitPageAnswer>(path).catch(() => undefined)
        return answer?.permit?.isMine ? answer.permit : []
      }),
    )
    return decided.flat()
  }

  #start(): () => void {
    const stop = new AbortController()
    const refresh = soon(() => this.load(), stop.signal)
    refresh()
    const hasMine = () => this.permits.some(({ isMine, state }) => isMine && state === 'requested')
    const timer = setInterval(() => hasMine() && refresh(), LOOK_EVERY_MS)
    const unlisten = this.#session.onChange(({ ids, toDecide = 0 }) => {
      const concerns = ids.length === 0 || this.permits.some(({ id }) => ids.includes(id))
      if (concerns || toDecide !== this.#toDecide) refresh()
      this.#toDecide = toDecide
    })
    return () => {
      stop.abort()
      clearInterval(timer)
      unlisten()
    }
  }

  #notify(decided: readonly PermitAnswer[]): void {
    for (const listener of this.#listeners) listener(decided)
  }
}

const watches = new WeakMap<Session, PermitWatch>()
