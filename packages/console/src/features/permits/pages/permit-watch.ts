import type { ChangedEvent } from '../../../web/answers.ts'
import { keepIds, readIds } from '../../../web/session/drafts.ts'
import { isAbout } from '../../../web/session/live.ts'
import type { Session } from '../../../web/session/session.ts'
import { onePerSession, Watch } from '../../../web/session/watch.ts'
import type { PermitAnswer, PermitPageAnswer, PermitsAnswer } from '../server/api/answers.ts'

/** How often it is looked whether a request of the reader was decided, in milliseconds. */
const LOOK_EVERY_MS = 15_000

/** What this tab remembers over a reload: requests that wait, and decisions that the reader has seen. */
const WAITING_IDS = 'permits that wait'
const SEEN_IDS = 'permits seen'
const MAX_SEEN = 50

/** The open permits that the reader is shown; what is new are requests of theirs that were decided. One for the frame and the pages. */
export class PermitWatch extends Watch<PermitAnswer> {
  static readonly of = onePerSession((session) => new PermitWatch(session))
  /** Newest first. */
  permits: readonly PermitAnswer[] = []
  #toDecide = -1
  readonly #known = new Set<string>()
  readonly #followed = new Set<string>()

  constructor(session: Session) {
    super(session, LOOK_EVERY_MS)
  }

  protected async read(): Promise<readonly PermitAnswer[]> {
    const { permits } = await this.session.ask<PermitsAnswer>('/approvals')
    this.permits = permits
    return [...(await this.#refused()), ...this.#granted()]
  }

  /**
   * A part of a page shows what becomes of a request: it is not told above the page as well.
   *
   * @param listener is given the request as it stands after each change
   * @returns a function that stops it
   */
  follow(id: string, listener: (permit: PermitAnswer) => void): () => void {
    this.#followed.add(id)
    const stop = this.listen((news) => {
      const found = [...news, ...this.permits].find((each) => each.id === id)
      if (found) listener(found)
    })
    return () => {
      this.#followed.delete(id)
      stop()
    }
  }

  isFollowed(id: string): boolean {
    return this.#followed.has(id)
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
        const path = `/approvals/${encodeURIComponent(id)}`
        const answer = await this.session.ask<PermitPageAnswer>(path).catch(() => undefined)
        return answer?.permit?.isMine ? answer.permit : []
      }),
    )
    return decided.flat()
  }

  protected override isDue(): boolean {
    return this.permits.some(({ isMine, state }) => isMine && state === 'requested')
  }

  protected concerns(change: ChangedEvent): boolean {
    const { toDecide = 0 } = change
    const isOther = toDecide !== this.#toDecide
    this.#toDecide = toDecide
    return isOther || isAbout(() => this.permits.map(({ id }) => id))(change)
  }
}
