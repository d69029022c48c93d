import { urgencyOf } from 'oidc-provider-impersonation-verify/format'
import type { AlarmsAnswer, RowAnswer } from '../../api/console/answers.ts'
import { soon } from '../kit/soon.ts'
import type { Session } from '../session/session.ts'

/** The open alarms of a session, kept up to date. One for the frame and the page of the alarms. */
export class AlarmWatch {
  /** To look at now. */
  urgent: readonly RowAnswer[] = []
  /** Worth knowing. */
  notable: readonly RowAnswer[] = []
  state: 'loading' | 'ready' | 'failed' = 'loading'
  problem: unknown
  readonly #session: Session
  readonly #listeners = new Set<(fresh: readonly RowAnswer[]) => void>()
  #stop: (() => void) | undefined
  #count = -1

  static of(session: Session): AlarmWatch {
    const watch = watches.get(session) ?? new AlarmWatch(session)
    watches.set(session, watch)
    return watch
  }

  constructor(session: Session) {
    this.#session = session
  }

  /**
   * @param listener is told of each change, with the rows that have a new urgent alarm
   * @returns a function that stops it
   */
  listen(listener: (fresh: readonly RowAnswer[]) => void): () => void {
    this.#listeners.add(listener)
    this.#stop ??= this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** All, in the order in which the page shows them. */
  get rows(): readonly RowAnswer[] {
    return [...this.urgent, ...this.notable]
  }

  /** Reads the alarms. A failure is kept in `problem`. */
  async load(): Promise<void> {
    try {
      const { urgent, notable } = await this.#session.ask<AlarmsAnswer>('/alarms')
      const known = new Set(this.urgent.map(urgencyKey))
      const fresh =
        this.state === 'ready' ? urgent.filter((row) => !known.has(urgencyKey(row))) : []
      this.urgent = urgent
      this.notable = notable
      this.state = 'ready'
      this.problem = undefined
      this.#notify(fresh)
    } catch (problem) {
      this.problem = problem
      if (this.state === 'loading') this.state = 'failed'
      this.#notify([])
    }
  }

  #start(): () => void {
    const stop = new AbortController()
    const refresh = soon(() => this.load(), stop.signal)
    refresh()
    const unlisten = this.#session.onChange(({ ids, alarms }) => {
      const concerns = ids.length === 0 || this.rows.some(({ id }) => ids.includes(id))
      if (concerns || alarms !== this.#count) refresh()
      this.#count = alarms
    })
    return () => {
      stop.abort()
      unlisten()
    }
  }

  #notify(fresh: readonly RowAnswer[]): void {
    for (const listener of this.#listeners) listener(fresh)
  }
}

const watches = new WeakMap<Session, AlarmWatch>()

/** Something urgent that happens again has another key. */
export function urgencyKey({ id, alarm }: RowAnswer): string {
  return `${id} ${alarm ? urgencyOf(alarm) : 0}`
}

/** An alarm that happens again has another key. */
export function alarmKey({ id, alarm }: RowAnswer): string {
  return `${id} ${alarm?.count ?? 0}`
}
