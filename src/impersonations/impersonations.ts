import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { EndingAdapter, ListedBefore, LookUp } from '../adapters/contract.ts'
import { emitEnd } from '../events/emit.ts'
import type {
  EndOptions,
  ImpersonationFilter,
  ImpersonationObject,
  ImpersonationPage,
  ImpersonationQuery,
} from '../public/list-and-end.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import type { SubjectToken, SubjectTokenModel } from '../tokens/subject-token.ts'
import { cursorAfter, parseCursor } from './cursor.ts'
import { type EndAttempt, endRecord, newEnd, shownEnd } from './end-record.ts'
import { describeEnded, describeImpersonation, isOver, stateOf } from './impersonation-object.ts'
import { InvalidInput } from './inputs.ts'

/** How many records are read at once. */
const PAGE_SIZE = 100
/** How many records one page reads at most, where most of them have another state. */
const MAX_RECORDS_READ = 1000
/** How many are ended at once. */
const AT_ONCE = 16
/** How many attempts are remembered whose outcome is not known. */
const MAX_UNSURE_IDS = 10_000
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
   * first end stays. One that has expired is ended as long as a guard may accept its token.
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

/** What came of the end of one. */
interface EndedOne {
  /** Whether this end is the one that counts. */
  readonly isFirst: boolean
  /** As it is afterwards; `undefined` where it is gone. */
  readonly token: SubjectToken | undefined
}

/** @param actorScope the scope of an actor token */
export function impersonations(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  adapter: EndingAdapter,
  actorScope: string,
): Impersonations {
  /** Attempts of which the storage did not say whether they were the one. */
  const unsure = new BoundedMap<string, true>(MAX_UNSURE_IDS)

  /** Ends one, and answers it as it is then. */
  async function endOnce(
    token: SubjectToken,
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<EndedOne> {
    if (isOver(token)) return { isFirst: false, token }
    const end = newEnd(how)
    // I14: also where it has ended, so that the storage repairs what it lost of that end.
    if (await isTheOne(token.jti, end)) {
      const found = mayChangeBefore(token)
        ? await Promise.allSettled([subjectTokens.findById(token.jti)])
        : []
      const [again] = found
      const ended = (again?.status === 'fulfilled' && again.value) || Object.assign(token, { end })
      emitEnd(provider, ctx, () => ({ ...describeEnded(ended), end: shownEnd(end) }))
      // What runs through it is not known.
      if (again?.status === 'rejected') throw again.reason
      return { isFirst: true, token: ended }
    }
    // I13: an attempt of this process that was the one after all. Its event is due.
    const attempt = token.end?.attempt
    if (attempt !== undefined && unsure.delete(attempt)) {
      emitEnd(provider, ctx, () => describeEnded(token))
      return { isFirst: true, token }
    }
    const isKnown = token.end !== undefined
    return { isFirst: false, token: isKnown ? token : await subjectTokens.findById(token.jti) }
  }

  /**
   * Whether a record may have become another one between the look at it and its end, but for the end: it
   * was redeemed, or its access token was taken as an actor token.
   */
  function mayChangeBefore({ consumed, note, chained }: SubjectToken): boolean {
    if (!consumed || !note) return true
    return !chained && (note.scope ?? '').split(' ').includes(actorScope)
  }

  async function isTheOne(id: string, end: EndAttempt): Promise<boolean> {
    try {
      return await endRecord(adapter, id, end)
    } catch (error) {
      unsure.set(end.attempt, true)
      throw error
    }
  }

  /**
   * Ends them and what runs through them, also where they have ended or expired themselves: what runs
   * through them may have been missed then, and may live longer.
   */
  async function endWithChains(
    tokens: readonly SubjectToken[],
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<{ readonly count: number; readonly tokens: readonly (SubjectToken | undefined)[] }> {
    const ended: EndedOne[] = []
    for (let from = 0; from < tokens.length; from += AT_ONCE) {
      const batch = tokens.slice(from, from + AT_ONCE)
      const outcomes = await Promise.allSettled(batch.map((token) => endOnce(token, how, ctx)))
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') throw outcome.reason
        ended.push(outcome.value)
      }
    }
    let count = ended.filter(({ isFirst }) => isFirst).length
    // I14: whether chains are allowed here or not: they may have been before, or are elsewhere.
    const chained = ended.flatMap(({ token }) => (token?.chained ? [token] : []))
    const accounts = Map.groupBy(chained, ({ accountId }) => accountId)
    for (const [actor, through] of accounts) {
      const ids = new Set(through.map(({ jti }) => jti))
      const runsThrough = ({ note }: SubjectToken) => ids.has(note?.through ?? '')
      count += await endAll({ actor }, how, ctx, runsThrough)
    }
    return { count, tokens: ended.map(({ token }) => token) }
  }

  const endAll: Impersonations['endAll'] = async (filter, how, ctx, only = () => true) => {
    const isMeant = matcherFor(filter)
    let ended = 0
    for await (const records of listPages(lookUpOf(filter), PAGE_SIZE)) {
      const tokens = records
        .map((record) => subjectTokens.fromRecord(record))
        .filter((token) => token !== undefined && isMeant(token) && only(token)) as SubjectToken[]
      ended += (await endWithChains(tokens, how, ctx)).count
    }
    return ended
  }

  /** All records that match, the newest first, page by page. */
  async function* listPages(
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
      before = requirePosition(last)
    }
  }

  return {
    async get(id) {
      const token = await subjectTokens.findById(id)
      return token && describeImpersonation(token)
    },

    async list({ state, cursor, limit = DEFAULT_LIMIT, ...filter }) {
      const question = { ...filter, state }
      const isMeant = matcherFor(filter)
      const start = cursor === undefined ? undefined : parseCursor(cursor, question)
      if (cursor !== undefined && !start) throw new UnknownCursor()
      const items: ImpersonationObject[] = []
      let read = 0
      // Without these nearly every record is shown; one more tells whether there is a next page.
      const batch =
        (state ?? filter.client ?? filter.permit) === undefined
          ? Math.min(limit + 1, PAGE_SIZE)
          : PAGE_SIZE
      for await (const records of listPages(lookUpOf(filter), batch, start)) {
        for (const [index, record] of records.entries()) {
          read += 1
          const token = subjectTokens.fromRecord(record)
          if (token && isMeant(token) && (state === undefined || stateOf(token) === state))
            items.push(describeImpersonation(token))
          const isLast = index === records.length - 1 && records.length < batch
          if (!isLast && (items.length === limit || read === MAX_RECORDS_READ)) {
            return { items, next: cursorAfter(requirePosition(record), question) }
          }
        }
      }
      return { items }
    },

    async end(id, how, ctx) {
      const token = await subjectTokens.findById(id)
      if (!token) return undefined
      const [ended] = (await endWithChains([token], how, ctx)).tokens
      return ended && describeImpersonation(ended)
    },

    endAll,
  }
}

function lookUpOf({ userId, actor, issuedTo }: ImpersonationFilter): LookUp {
  return { accountId: userId, actor, clientId: issuedTo }
}

/** What no storage looks up by: who runs it, or is the only one that may; and by which permit. */
function matcherFor({ client, permit }: ImpersonationFilter): (token: SubjectToken) => boolean {
  return ({ note, consumed, bindingObject, permit: before }) =>
    (client === undefined ||
      (consumed ? note?.client : bindingObject.mayAct?.clientId) === client) &&
    (permit === undefined || [note?.permit, before].flat().includes(permit))
}

/** @throws TypeError for a record that no adapter may list */
function requirePosition({ iat, jti }: AdapterPayload): ListedBefore {
  if (typeof iat !== 'number' || typeof jti !== 'string') {
    throw new TypeError('list() of the storage adapter resolved a record without iat or jti')
  }
  return { iat, id: jti }
}
