import type { TokenContext } from '../claims.ts'
import type { SignInSecrets } from '../provider.ts'
import { randomValue } from '../random-value.ts'
import type { SessionEnd } from '../texts.ts'
import type { ImpersonationStore } from './store.ts'

const BEGUN_MS = 120_000
/** The time after the end for which pages can show that it is over. */
const SAID_MS = 3_600_000

/** Data from the form to the provider's response. */
export interface Begun extends SignInSecrets {
  readonly subjectToken: string
}

/** Data while an operator acts, and for an hour after it. */
export interface Session {
  /** Empty once it has ended. */
  readonly accessToken: string
  readonly actor: string
  readonly scope: readonly string[]
  readonly expiresAtMs: number
  readonly context: TokenContext
  readonly isToBeReviewed: boolean
  readonly isEnded: boolean
  readonly ending: SessionEnd | undefined
}

/** A stored value, and its cookie. */
export interface Kept {
  readonly id: string
  readonly untilMs: number
}

/** The store, with a key for each purpose. An id of one opens nothing of the other. */
export interface Sessions {
  keepBegun(begun: Begun): Promise<Kept>
  readBegun(id: string | undefined): Promise<Begun | undefined>
  /** @returns `false` if another request has taken it */
  takeBegun(id: string): Promise<boolean>
  /**
   * Stores a session under a new id, so that it never takes over an id that a browser had before.
   */
  keep(session: Session): Promise<Kept>
  read(id: string | undefined): Promise<Session | undefined>
  /**
   * Changes a session. If it was removed, this does nothing, so that a session that is over stays
   * so.
   */
  change(id: string, session: Session): Promise<void>
  remove(id: string): Promise<void>
}

const begunKey = (id: string) => `impersonation-begun:${id}`
const key = (id: string) => `impersonation:${id}`

export function sessionsIn(store: ImpersonationStore): Sessions {
  /** Expiry times by id, for stores that do not report whether there was a value to delete. */
  const taken = new Map<string, number>()

  async function readValue<T extends object>(storedAs: string | undefined): Promise<T | undefined> {
    const value = storedAs === undefined ? undefined : await store.get(storedAs)
    return value ? JSON.parse(value) : undefined
  }
  async function write(id: string, session: Session): Promise<number> {
    const untilMs = session.expiresAtMs + SAID_MS
    await store.set(key(id), JSON.stringify(session), untilMs)
    return untilMs
  }
  async function read(id: string | undefined): Promise<Session | undefined> {
    const session = await readValue<Session>(id && key(id))
    return session && session.expiresAtMs + SAID_MS > Date.now() ? session : undefined
  }
  return {
    async keepBegun(begun) {
      const id = randomValue()
      const untilMs = Date.now() + BEGUN_MS
      await store.set(begunKey(id), JSON.stringify({ ...begun, untilMs }), untilMs)
      return { id, untilMs }
    },
    async readBegun(id) {
      const begun = await readValue<Begun & { untilMs: number }>(id && begunKey(id))
      return begun && begun.untilMs > Date.now() ? begun : undefined
    },
    async takeBegun(id) {
      const now = Date.now()
      for (const [other, untilMs] of taken) if (untilMs <= now) taken.delete(other)
      if (taken.has(id)) return false
      taken.set(id, now + BEGUN_MS)
      const isDeleted = await store.delete(begunKey(id))
      return isDeleted !== false && isDeleted !== 0
    },
    async keep(session) {
      const id = randomValue()
      return { id, untilMs: await write(id, session) }
    },
    read,
    async change(id, session) {
      if (await read(id)) await write(id, session)
    },
    async remove(id) {
      await store.delete(key(id))
    },
  }
}
