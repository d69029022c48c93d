import type { RowFilter } from '../../../../ledger/filters.ts'
import type { AuditAnswer, ChangedEvent, NewerAnswer, RowAnswer } from '../../../../web/answers.ts'
import { keepUp } from '../../../../web/session/live.ts'
import type { Session } from '../../../../web/session/session.ts'
import { addressOf, parametersOf } from './filter.ts'

const FIRST_PAGE = 50
/** Who looks on past the first page looks for something: few clicks are better than small answers. */
const OLDER_PAGE = 200
/** How many rows of the list are asked for again after one change. */
const MAX_REFRESHED = 20

/**
 * The rows that a reader sees. They never change their place: new ones are counted and wait, and what
 * changes in a row changes in its place.
 */
export class AuditList {
  readonly address: string
  rows: readonly RowAnswer[] = []
  /** The cursor of the next, older page. */
  next: string | undefined
  /** Where the search stopped before it looked at all: from this time on it has, in milliseconds since the epoch. */
  lookedTo: number | undefined
  /** How many rows are newer than the first one that is shown. */
  newer: NewerAnswer = NONE_NEWER
  state: 'loading' | 'ready' | 'failed' = 'loading'
  problem: unknown
  /** Where the reader is. */
  scroll = 0
  /** The id of the row that has the focus. */
  focus: string | undefined
  onUpdate: () => void = () => {}
  readonly #session: Session
  readonly #filter: RowFilter
  /** Time of the answer, by the clock of the server. */
  #readAt = 0
  #changed: readonly string[] = []

  constructor(session: Session, filter: RowFilter) {
    this.#session = session
    this.#filter = filter
    this.address = addressOf(filter)
  }

  /** What was searched for. */
  get text(): string | undefined {
    return this.#filter.text
  }

  /** Reads the first page, unless it is there. Listens to changes until the result is called. */
  open(): () => void {
    const isBack = this.state === 'ready'
    if (!isBack) void this.load()
    const stop = keepUp(this.#session, (signal) => this.#look(signal), {
      concerns: ({ ids }) => {
        this.#changed = [...this.#changed, ...(ids.length === 0 ? [ANY_ID] : ids)]
        return true
      },
      atOnce: isBack,
      whileSeen: true,
    })
    return () => {
      stop()
      this.onUpdate = () => {}
    }
  }

  /** Reads the first page, and forgets what was there. */
  async load(): Promise<void> {
    this.#set({ state: 'loading', problem: undefined })
    try {
      const { rows, next, lookedTo, now } = await this.#page(FIRST_PAGE)
      this.#readAt = now
      this.#set({ rows, next, lookedTo, newer: NONE_NEWER, state: 'ready' })
    } catch (problem) {
      this.#set({ state: 'failed', problem })
    }
  }

  /** Adds the next, older page. @throws {ApiProblem | Unreachable} */
  async loadOlder(): Promise<void> {
    const { next } = this
    if (next === undefined) return
    const answer = await this.#page(OLDER_PAGE, next)
    if (this.next !== next) return
    const { lookedTo } = answer
    this.#set({ rows: [...this.rows, ...answer.rows], next: answer.next, lookedTo })
  }

  /**
   * Puts the newer rows in front.
   *
   * @returns how many
   * @throws {ApiProblem | Unreachable}
   */
  async showNewer(): Promise<number> {
    const { rows, next, lookedTo, now } = await this.#page(OLDER_PAGE)
    this.#readAt = now
    const first = this.rows[0]
    const known = first ? rows.findIndex(({ id }) => id === first.id) : -1
    // More than a page is new, or the first row was removed: begin again, so that no gap is hidden.
    const newer = NONE_NEWER
    if (known === -1) this.#set({ rows, next, lookedTo, newer })
    else this.#set({ rows: [...rows.slice(0, known), ...this.rows], newer })
    return known === -1 ? rows.length : known
  }

  /** Asks what has changed since the list was read. */
  async #look(signal: AbortSignal): Promise<void> {
    if (this.state !== 'ready') return
    const changed = new Set(this.#changed)
    this.#changed = []
    await Promise.all([this.#count(signal), this.#refresh(changed, signal)])
  }

  async #count(signal: AbortSignal): Promise<void> {
    const query = parametersOf(this.#filter)
    const { at, id } = this.rows[0] ?? { at: this.#readAt, id: NO_ID }
    query.set('at', String(at))
    query.set('id', id)
    const newer = await this.#session.ask<NewerAnswer>(`/audit/newer?${query}`, { signal })
    const { count, more } = this.newer
    if (!signal.aborted && (newer.count !== count || newer.more !== more)) this.#set({ newer })
  }

  /** Reads those shown rows again that may have changed. */
  async #refresh(changed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const isStale = ({ id, outcome }: RowAnswer) =>
      changed.has(id) || (changed.has(ANY_ID) && ['running', 'waiting'].includes(outcome))
    const stale = this.rows.filter(isStale).slice(0, MAX_REFRESHED)
    // A row that cannot be read stays as it is: the page of the row says why.
    const answers = await Promise.allSettled(
      stale.map(({ id }) => this.#session.ask<RowAnswer>(`/audit/${id}`, { signal })),
    )
    const fresh = new Map(
      answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? [[answer.value.id, answer.value] as const] : [],
      ),
    )
    if (signal.aborted || fresh.size === 0) return
    this.#set({ rows: this.rows.map((row) => fresh.get(row.id) ?? row) })
  }

  #page(limit: number, before?: string): Promise<AuditAnswer> {
    const query = parametersOf(this.#filter)
    query.set('limit', String(limit))
    if (before !== undefined) query.set('before', before)
    return this.#session.ask<AuditAnswer>(`/audit?${query}`)
  }

  #set(
    members: Partial<Pick<AuditList, 'lookedTo' | 'newer' | 'next' | 'problem' | 'rows' | 'state'>>,
  ): void {
    Object.assign(this, members)
    this.onUpdate()
  }
}

const NONE_NEWER: NewerAnswer = { count: 0, more: false }
/** Stands for all ids: the stream does not say which rows have changed. */
const ANY_ID = '*' satisfies ChangedEvent['ids'][number]
/** Comes before every id, so a row of the same millisecond as the empty answer is newer. */
const NO_ID = '-'.repeat(43)
