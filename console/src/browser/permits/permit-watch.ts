import type { PermitAnswer, PermitPageAnswer, PermitsAnswer } from '../../api/permits/answers.ts'
import { soon } from '../kit/soon.ts'
import type { Session } from '../session/session.ts'

/** How often it is looked whether a request of the reader was decided, in milliseconds. */
const LOOK_EVERY_MS = 15_000

/** The open permits that the reader is shown, kept up to date. One for the frame and the pages. */
export class PermitWatch {
  /** Newest first. */
  permits: readonly PermitAnswer[] = []
  /** The `before` of the next page. */
  next: string | undefined
  state: 'failed' | 'loading' | 'ready' = 'loading'
  problem: unknown
  readonly #session: Session
  readonly #listeners = new Set<(decided: readonly PermitAnswer[]) => void>()
  #stop: (() => void) | undefined
  #toDecide = -1

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
      const { permits, next } = await this.#session.ask<PermitsAnswer>('/permits?open=true')
      const before = this.permits
      this.permits = permits
      this.next = next
      this.state = 'ready'
      this.problem = undefined
      this.#notify(await this.#decided(before))
    } catch (problem) {
      this.problem = problem
      if (this.state === 'loading') this.state = 'failed'
      this.#notify([])
    }
  }

  /** The requests of the reader that waited, and do not wait any more. */
  async #decided(before: readonly PermitAnswer[]): Promise<PermitAnswer[]> {
    const waited = before.filter(({ isMine, state }) => isMine && state === 'requested')
    const decided = await Promise.all(
      waited.map(async ({ id }) => {
        const now = this.permits.find((permit) => permit.id === id)
        if (now) return now.state === 'requested' ? [] : now
        const path = `/permits/${encodeURIComponent(id)}`
        const answer = await this.#session.ask<PermitPageAnswer>(path).catch(() => undefined)
        return answer?.permit ?? []
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
