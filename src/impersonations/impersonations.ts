import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { EndingAdapter, ListedBefore, LookUp } from '../adapters/contract.ts'
import { emitEnd } from '../audit/emit.ts'
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

export function impersonations(
  provider: Provider,
  subjectTokens: SubjectTokenModel,
  adapter: EndingAdapter,
): Impersonations {
  /** Attempts of which the storage did not say whether they were the one. */
  const unsure = new BoundedMap<string, true>(MAX_UNSURE_IDS)

  async function endOnce(
    token: SubjectToken,
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<boolean> {
    if (isOver(token)) return false
    const end = newEnd(how)
    // I14: also where it has ended, so that the storage repairs what it lost of that end.
    if (await isTheOne(token.jti, end)) {
      // As the storage has it now: it may have been redeemed since it was read.
      const ended = (await subjectTokens.findById(token.jti).catch(() => undefined)) ?? token
      const event = () => ({ ...describeEnded(ended), end: shownEnd(end) })
      emitEnd(provider, ctx, event)
      return true
    }
    // I13: an attempt of this process that was the one after all. Its event is due.
    const attempt = token.end?.attempt
    if (attempt === undefined || !unsure.delete(attempt)) return false
    emitEnd(provider, ctx, () => describeEnded(token))
    return true
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
   * Ends one and what runs through it, also where it has ended or expired itself: what runs through it
   * may have been missed then, and may live longer. Returns how many.
   */
  async function endWithChain(
    token: SubjectToken,
    how: EndOptions,
    ctx: KoaContextWithOIDC | undefined,
  ): Promise<number> {
    const ended = Number(await endOnce(token, how, ctx))
    // I14: whether chains are allowed here or not: they may have been before, or are elsewhere.
    const runsThroughIt = ({ note }: SubjectToken) => note?.through === token.jti
    return ended + (await endAll({ actor: token.accountId }, how, ctx, runsThroughIt))
  }

  const endAll: Impersonations['endAll'] = async (filter, how, ctx, only = () => true) => {
    const isMeant = matcherFor(filter)
    let ended = 0
    for await (const records of listPages(lookUpOf(filter), PAGE_SIZE)) {
      const tokens = records
        .map((record) => subjectTokens.fromRecord(record))
        .filter((token) => token !== undefined && isMeant(token) && only(token)) as SubjectToken[]
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
      await endWithChain(token, how, ctx)
      const ended = await subjectTokens.findById(id)
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
    (permit === undefined || note?.permit === permit || before === permit)
}

/** @throws TypeError for a record that no adapter may list */
function requirePosition({ iat, jti }: AdapterPayload): ListedBefore {
  if (typeof iat !== 'number' || typeof jti !== 'string') {
    throw new TypeError('list() of the storage adapter resolved a record without iat or jti')
  }
  return { iat, id: jti }
}
