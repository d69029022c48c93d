import { randomBytes } from 'node:crypto'
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { LifecycleAdapter, ListedBefore, LookUp } from '../adapters/contract.ts'
import { emitLater } from '../audit/emit.ts'
import type {
  EndOptions,
  ImpersonationFilter,
  ImpersonationObject,
  ImpersonationPage,
  ImpersonationQuery,
} from '../public/lifecycle.ts'
import type { StoredEnd, SubjectToken, SubjectTokenModel } from '../tokens/subject-token.ts'
import { cursorAfter, placeOf } from './cursor.ts'
import { eventOf, objectOf, stateOf } from './impersonation-object.ts'
import { InvalidInput } from './inputs.ts'

/** How many records are read at once. */
const BATCH = 100
/** How many records one page reads at most, where most of them have another state. */
const MOST_READ = 1000
/** How many are ended at once. */
const AT_ONCE = 16
/** How many attempts are remembered whose outcome is not known. */
const MOST_UNSURE = 10_000
const DEFAULT_LIMIT = 25

/** The cursor was not given by this question. */
export class UnknownCursor extends InvalidInput {
  constructor() {
    super('cursor is not one that was given for the same filter and state')
  }
}

/** Sees and ends impersonations. Every method rejects where the storage fails (I5). */
export interface Impersonations {
  get(id: string): Promise<ImpersonationObject | undefined>
  /** @throws {@link UnknownCursor} */
  list(query: ImpersonationQuery): Promise<ImpersonationPage>
  /**
   * Ends one, and what runs through it: what was begun with its access token as the actor token. The
   * first end stays, and one that has expired is not ended.
   *
   * @returns it, as it is afterwards; `undefined` where there is none
   */
  end(
    id: string,
    how: EndOptions,
    ctx?: KoaContextWithOIDC,
  ): Promise<ImpersonationObject | undefined>
  /**
   * Ends all that match at this moment. Where the storage fails in the middle, what was ended stays
   * ended, and a repetition ends the rest.
   *
   * @param only a further condition
   * @returns how many this call ended
   */
  endAll(
    filter: ImpersonationFilter,
    how: EndOptions,
    ctx?: KoaContextWithOIDC,
    only?: (token: SubjectToken) => boolean,
  ): Promise<number>
}

/** @param hasChains whether an impersonated access token can be an actor token */
export function impersonations(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  adapter: LifecycleAdapter,
  hasChains: boolean,
): Impersonations {
  /** Attempts of which the storage did not say whether they were the one. */
  const unsure = new Set<string>()

  async function endOnce(
    token: SubjectToken,
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<boolean> {
    const { end: before } = token
    // I13: an attempt of this process that was the one after all. Its event is due.
    if (before?.attempt !== undefined && unsure.delete(before.attempt)) {
      emitLater(provider, 'impersonation.ended', ctx, () => eventOf(token))
      return true
    }
    const state = stateOf(token)
    if (state === 'ended' || state === 'expired') return false
    const end = storedEnd(how)
    if (!(await isTheOne(token.jti, end))) return false
    // As the storage has it now: it may have been redeemed since it was read.
    const ended = (await subjectTokens.findById(token.jti).catch(() => undefined)) ?? token
    emitLater(provider, 'impersonation.ended', ctx, () => ({ ...eventOf(ended), end: shown(end) }))
    return true
  }

  async function isTheOne(id: string, end: StoredEnd & { attempt: string }): Promise<boolean> {
    try {
      return await endingOf(adapter, id, end)
    } catch (error) {
      for (const oldest of unsure) {
        if (unsure.size < MOST_UNSURE) break
        unsure.delete(oldest)
      }
      unsure.add(end.attempt)
      throw error
    }
  }

  /**
   * Ends one and what runs through it, also where it has ended or expired itself: what runs through it
   * may have been missed then, and may live longer. Returns how many.
   */
  async function endWithChain(
    token: SubjectToken,
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<number> {
    const ended = Number(await endOnce(token, how, ctx))
    if (!hasChains) return ended
    const runsThroughIt = ({ note }: SubjectToken) => note?.through === token.jti
    return ended + (await endAll({ actor: token.accountId }, how, ctx, runsThroughIt))
  }

  const endAll: Impersonations['endAll'] = async (filter, how, ctx, only = () => true) => {
    let ended = 0
    for await (const records of pagesOf(lookUpOf(filter), BATCH)) {
      const tokens = records
        .map((record) => subjectTokens.fromRecord(record))
        .filter((token) => token !== undefined && only(token)) as SubjectToken[]
      for (let from = 0; from < tokens.length; from += AT_ONCE) {
        const batch = tokens.slice(from, from + AT_ONCE)
        const outcomes = await Promise.allSettled(
          batch.map((token) => endWithChain(token, how, ctx)),
        )
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') throw outcome.reason
          ended += outcome.value
        }
      }
    }
    return ended
  }

  /** All records that match, the newest first, page by page. */
  async function* pagesOf(
    lookUp: LookUp,
    batch: number,
    start?: ListedBefore,
  ): AsyncGenerator<readonly AdapterPayload[]> {
    let before = start
    for (;;) {
      const records = await adapter.list(lookUp, batch, before)
      yield records
      const last = records.at(-1)
      if (records.length < batch || !last) return
      before = positionOf(last)
    }
  }

  return {
    async get(id) {
      const token = await subjectTokens.findById(id)
      return token && objectOf(token)
    },

    async list({ userId, actor, issuedTo, state, cursor, limit = DEFAULT_LIMIT }) {
      const question = { userId, actor, issuedTo, state }
      const start = cursor === undefined ? undefined : placeOf(cursor, question)
      if (cursor !== undefined && !start) throw new UnknownCursor()
      const items: ImpersonationObject[] = []
      let read = 0
      // Without a state nearly every record is shown; one more tells whether there is a next page.
      const batch = state === undefined ? Math.min(limit + 1, BATCH) : BATCH
      for await (const records of pagesOf(lookUpOf({ userId, actor, issuedTo }), batch, start)) {
        for (const [index, record] of records.entries()) {
          read += 1
          const token = subjectTokens.fromRecord(record)
          if (token && (state === undefined || stateOf(token) === state))
            items.push(objectOf(token))
          const isLast = index === records.length - 1 && records.length < batch
          if (!isLast && (items.length === limit || read === MOST_READ)) {
            return { items, next: cursorAfter(positionOf(record), question) }
          }
        }
      }
      return { items }
    },

    async end(id, how, ctx) {
      const token = await subjectTokens.findById(id)
      if (!token) return undefined
      await endWithChain(token, how, ctx)
      const ended = await subjectTokens.findById(id)
      return ended && objectOf(ended)
    },

    endAll,
  }
}

/**
 * Ends the record. Where the reply was lost, the record tells whether this attempt was the one.
 *
 * @throws the storage's error where neither is known
 */
async function endingOf(adapter: LifecycleAdapter, id: string, end: StoredEnd): Promise<boolean> {
  try {
    const won: unknown = await adapter.endOnce(id, { ...end })
    if (typeof won === 'boolean') return won
    throw new TypeError('endOnce() of the storage adapter must resolve true or false')
  } catch (error) {
    const record = await adapter.find(id).catch(() => undefined)
    const stored: unknown = record?.end
    if (typeof stored === 'object' && stored !== null && 'attempt' in stored) {
      return stored.attempt === end.attempt
    }
    throw error
  }
}

function storedEnd({
  by,
  cause = 'requested',
  reason,
}: EndOptions): StoredEnd & { attempt: string } {
  return {
    at: Math.floor(Date.now() / 1000),
    ...(by ? { by: { sub: by.sub } } : {}),
    cause,
    ...(reason === undefined ? {} : { reason }),
    attempt: randomBytes(9).toString('base64url'),
  }
}

function shown({ attempt: _, ...end }: StoredEnd): StoredEnd {
  return Object.freeze(end)
}

function lookUpOf({ userId, actor, issuedTo }: ImpersonationFilter): LookUp {
  return { accountId: userId, actor, clientId: issuedTo }
}

/** @throws TypeError for a record that no adapter may list */
function positionOf({ iat, jti }: AdapterPayload): ListedBefore {
  if (typeof iat !== 'number' || typeof jti !== 'string') {
    throw new TypeError('list() of the storage adapter resolved a record without iat or jti')
  }
  return { iat, id: jti }
}
