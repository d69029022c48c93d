import type { ChangedEvent } from '../answers.ts'
import { keepUp } from './live.ts'
import type { Session } from './session.ts'

/** What several components of a session show, kept up to date while one of them listens. */
export abstract class Watch<News> {
  state: 'failed' | 'loading' | 'ready' = 'loading'
  problem: unknown
  protected readonly session: Session
  readonly #every: number | undefined
  readonly #listeners = new Set<(news: readonly News[]) => void>()
  #stop: (() => void) | undefined

  /** @param every in milliseconds: see {@link isDue} */
  constructor(session: Session, every?: number) {
    this.session = session
    this.#every = every
  }

  /**
   * @param listener is told of each change, with what is new in it
   * @returns a function that stops it
   */
  listen(listener: (news: readonly News[]) => void): () => void {
    this.#listeners.add(listener)
    this.#stop ??= keepUp(this.session, () => this.load(), {
      atOnce: true,
      every: this.#every,
      isDue: () => this.isDue(),
      concerns: (change) => this.concerns(change),
    })
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** Reads it. A failure is kept in `problem`. */
  async load(): Promise<void> {
    let news: readonly News[] = []
    try {
      news = await this.read()
      this.state = 'ready'
      this.problem = undefined
    } catch (problem) {
      this.problem = problem
      if (this.state === 'loading') this.state = 'failed'
    }
    for (const listener of this.#listeners) listener(news)
  }

  /** @returns what is new */
  protected abstract read(): Promise<readonly News[]>
  /** Whether it is read again although nothing has changed. */
  protected isDue(): boolean {
    return true
  }

  protected abstract concerns(change: ChangedEvent): boolean
}

/** Makes one for each session, when it is first asked for. */
export function onePerSession<W>(make: (session: Session) => W): (session: Session) => W {
  const known = new WeakMap<Session, W>()
  return (session) => {
    const found = known.get(session) ?? make(session)
    known.set(session, found)
    return found
  }
}
