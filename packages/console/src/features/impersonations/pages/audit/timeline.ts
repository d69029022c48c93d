import type { TimelineAnswer, TimelineEntry } from '../../../../web/answers.ts'
import { isAbout, keepUp } from '../../../../web/session/live.ts'
import type { Session } from '../../../../web/session/session.ts'

const ENTRIES_PER_PAGE = 100
/** For one who looks for an entry far down. */
const LARGE_PAGE = 200

/** The entries of one impersonation, oldest first. New ones come at the end. */
export class Timeline {
  entries: readonly TimelineEntry[] = []
  /** Whether there are later entries that are not loaded. */
  hasMore = false
  state: 'loading' | 'ready' | 'failed' = 'loading'
  problem: unknown
  onUpdate: () => void = () => {}
  readonly #session: Session
  readonly #id: string
  /** Where the last page begins: `undefined` for the first page. */
  #lastPage: string | undefined
  #next: string | undefined

  constructor(session: Session, id: string) {
    this.#session = session
    this.#id = id
  }

  /**
   * Reads the first page, and goes on to the entry that is looked for. Listens to changes until the
   * result is called.
   */
  open(target: string | undefined): () => void {
    void this.load(target)
    const stop = keepUp(this.#session, (signal) => this.#refresh(signal), {
      concerns: isAbout(() => [this.#id]),
    })
    return () => {
      stop()
      this.onUpdate = () => {}
    }
  }

  async load(target?: string): Promise<void> {
    this.#set({ state: 'loading', problem: undefined })
    try {
      await this.#read(undefined, target === undefined ? ENTRIES_PER_PAGE : LARGE_PAGE)
      await this.find(target)
      this.#set({ state: 'ready' })
    } catch (problem) {
      this.#set({ state: 'failed', problem })
    }
  }

  /** Adds the next page. @throws {ApiProblem | Unreachable} */
  async more(): Promise<void> {
    if (this.#next !== undefined) await this.#read(this.#next, ENTRIES_PER_PAGE)
  }

  /** Adds pages until the entry is there, or the end. @throws {ApiProblem | Unreachable} */
  async find(cursor: string | undefined): Promise<void> {
    while (cursor !== undefined && this.#next !== undefined && !this.has(cursor)) {
      await this.#read(this.#next, LARGE_PAGE)
    }
  }

  has(cursor: string): boolean {
    return this.entries.some((entry) => entry.cursor === cursor)
  }

  async #read(after: string | undefined, limit: number): Promise<void> {
    const answer = await this.#page(after, limit)
    this.#lastPage = after
    this.#add(answer)
  }

  /** Reads the last page again: its entries may have happened again, and later ones come. */
  async #refresh(signal: AbortSignal): Promise<void> {
    if (this.state !== 'ready') return
    const from = this.#lastPage
    const answer = await this.#page(from, LARGE_PAGE, signal)
    if (!signal.aborted && from === this.#lastPage) this.#add(answer)
  }

  #page(after: string | undefined, limit: number, signal?: AbortSignal): Promise<TimelineAnswer> {
    const query = new URLSearchParams({ limit: String(limit) })
    if (after !== undefined) query.set('after', after)
    const path = `/audit/${encodeURIComponent(this.#id)}/timeline?${query}`
    return this.#session.ask<TimelineAnswer>(path, signal ? { signal } : {})
  }

  #add({ entries, next }: TimelineAnswer): void {
    const fresh = new Map(entries.map((entry) => [entry.cursor, entry]))
    const known = this.entries.map((entry) => {
      const again = fresh.get(entry.cursor)
      fresh.delete(entry.cursor)
      return again ?? entry
    })
    this.#next = next
    this.#set({ entries: [...known, ...fresh.values()], hasMore: next !== undefined })
  }

  #set(members: Partial<Pick<Timeline, 'entries' | 'hasMore' | 'problem' | 'state'>>): void {
    Object.assign(this, members)
    this.onUpdate()
  }
}
