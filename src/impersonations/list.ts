import type { Provider } from 'oidc-provider'
import type { ListedBefore, LookUp } from '../adapters/contract.ts'
import { PAGE_SIZE, readPages, requirePosition } from '../adapters/pages.ts'
import { isReserved } from '../adapters/record.ts'
import { instance, requireEnding } from '../host/weak-cache.ts'
import { InvalidInput } from '../options/rules.ts'
import type { ImpersonationEvent } from '../public/events.ts'
import type {
  Impersonation,
  ImpersonationFilter,
  ImpersonationPage,
  ImpersonationQuery,
  ImpersonationState,
} from '../public/objects.ts'
import { actorOf } from '../shared/act.ts'
import { present } from '../shared/json.ts'
import { sha256 } from '../shared/text.ts'
import {
  MAX_CLOCK_DIFFERENCE,
  MAX_CLOCK_TOLERANCE,
  type StoredEnd,
  type SubjectToken,
} from '../tokens/subject-token.ts'

/** The largest number of records that one page reads, if most of them have another state. */
const MAX_RECORDS_READ = 1000
const DEFAULT_LIMIT = 25
/** Seconds since the epoch, within the range of every storage, and an id. */
const CURSOR = /^(\d{1,11})\.([A-Za-z0-9_-]{43})\./

/**
 * Returns an impersonation by its id; `undefined` if there is none.
 *
 * @throws the storage's error, as everything here: trouble is never *not found* (I5)
 */
export async function getImpersonation(
  provider: Provider,
  id: string,
): Promise<Impersonation | undefined> {
  requireEnding(provider)
  const token = await instance(provider).subjectTokens.findById(id)
  return token && describeImpersonation(token)
}

/** @throws {@link InvalidInput} for a cursor of another query */
export async function listImpersonations(
  provider: Provider,
  { state, cursor, limit = DEFAULT_LIMIT, ...filter }: ImpersonationQuery,
): Promise<ImpersonationPage> {
  const question = { ...filter, state }
  const isMeant = matcherFor(filter)
  const start = cursor === undefined ? undefined : parseCursor(cursor, question)
  const items: Impersonation[] = []
  let read = 0
  // Without these nearly every record is shown, and one more record shows whether there is a next
  // page.
  const batch =
    (state ?? filter.client ?? filter.permit) === undefined
      ? Math.min(limit + 1, PAGE_SIZE)
      : PAGE_SIZE
  for await (const records of readPages(requireEnding(provider), lookUpOf(filter), batch, start)) {
    for (const [index, record] of records.entries()) {
      if (isReserved(record)) continue
      read += 1
      const token = instance(provider).subjectTokens.fromRecord(record)
      if (token && isMeant(token) && (state === undefined || stateOf(token) === state))
        items.push(describeImpersonation(token))
      const isLast = index === records.length - 1 && records.length < batch
      if (!isLast && (items.length === limit || read === MAX_RECORDS_READ)) {
        return { items, next: cursorAfter(requirePosition(record), question) }
      }
    }
  }
  return { items }
}

/** Yields all impersonations that the look-up finds, the newest first, page by page. */
export async function* listTokens(
  provider: Provider,
  lookUp: LookUp,
): AsyncGenerator<readonly SubjectToken[], undefined> {
  const { fromRecord } = instance(provider).subjectTokens
  for await (const records of readPages(requireEnding(provider), lookUp)) {
    yield records.flatMap((record) => fromRecord(record) ?? [])
  }
}

export function lookUpOf({ userId, actor, requestedBy }: ImpersonationFilter): LookUp {
  return { accountId: userId, actor, clientId: requestedBy }
}

/** Makes a function that checks whether a filter finds an impersonation now. */
export function matcherFor({
  userId,
  actor,
  requestedBy,
  client,
  permit,
}: ImpersonationFilter): (token: SubjectToken) => boolean {
  return (token) => {
    const { note, consumed } = token
    const clientOf = () => (consumed ? note?.client : token.bindingObject.mayAct?.clientId)
    return (
      (userId === undefined || userId === token.accountId) &&
      (actor === undefined || actor === (note?.actor ?? token.actor)) &&
      (requestedBy === undefined || requestedBy === token.clientId) &&
      (client === undefined || client === clientOf()) &&
      (permit === undefined || [note?.permit, token.permit].flat().includes(permit))
    )
  }
}

/** Returns the state of an impersonation, derived from its record, never stored. */
function stateOf(token: SubjectToken): ImpersonationState {
  if (token.end) return 'ended'
  if (!token.consumed) return token.isExpired ? 'expired' : 'issued'
  // `singleUse: 'per-process'` keeps no note, so the expiry of the access token is unknown.
  const { expiresAt } = token.note ?? {}
  return expiresAt !== undefined && expiresAt <= Date.now() / 1000 ? 'expired' : 'active'
}

/**
 * Checks whether it has expired so long ago that no API accepts its access token (a guard may
 * forgive a slow clock), and that no process redeems its subject token (its clock may be slow as
 * well). Until then there is something to end (what can act can be ended, I14).
 */
export function isOver(token: SubjectToken): boolean {
  if (stateOf(token) !== 'expired') return false
  const overAt = token.consumed
    ? (token.note?.expiresAt ?? 0) + MAX_CLOCK_TOLERANCE
    : (token.exp ?? 0) + MAX_CLOCK_DIFFERENCE
  return overAt <= Date.now() / 1000
}

/** Formats an impersonation for lists and events. */
export function describeImpersonation(token: SubjectToken): Impersonation {
  const { format = 'jwt' } = token.note ?? {}
  return Object.freeze(
    present({
      id: token.jti,
      state: stateOf(token),
      userId: token.accountId,
      ...describeParties(token),
      actor: actorOf(token.note?.actor),
      issuedAt: token.iat,
      redeemableUntil: token.exp ?? token.iat,
      startedAt: typeof token.consumed === 'number' ? token.consumed : undefined,
      status: format !== 'jwt' ? undefined : token.tokenStatus?.status_list,
    }),
  )
}

/** The facts of an ended impersonation, for its event. */
export function describeEnded(token: SubjectToken): Partial<ImpersonationEvent> {
  const actor = actorOf(token.note?.actor ?? token.actor)
  return { id: token.jti, userId: token.accountId, actor, ...describeParties(token) }
}

/** The members that object and event have in common. */
function describeParties(token: SubjectToken) {
  const { note, bindingObject: binding } = token
  return {
    mayAct: binding.mayAct,
    requestedBy: token.clientId,
    client: note?.client,
    software: note?.software,
    resource: note?.resource ?? binding.resource,
    scope: note ? note.scope : binding.scope,
    context: token.contextObject,
    permit: note?.permit ?? token.permit,
    review: note?.review ?? token.review,
    expiresAt: note?.expiresAt,
    end: token.end && shownEnd(token.end),
  }
}

/** The public part of an end. */
function shownEnd({ attempt: _, ...end }: StoredEnd): StoredEnd {
  return Object.freeze(end)
}

/**
 * Encodes the position after a record, for the same query. It carries no right, because whoever
 * may list at all may start anywhere.
 *
 * @param question - the query of the page
 */
function cursorAfter({ iat, id }: ListedBefore, question: object): string {
  const members = Object.entries(present(question)).sort()
  const asked = sha256(JSON.stringify(members)).slice(0, 16)
  return Buffer.from(`${iat}.${id}.${asked}`).toString('base64url')
}

/** @throws {@link InvalidInput} for a cursor that this query did not give */
function parseCursor(cursor: string, question: object): ListedBefore {
  const [, iat, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = id === undefined ? undefined : { iat: Number(iat), id }
  if (position && cursorAfter(position, question) === cursor) return position
  throw new InvalidInput('cursor is not one that was given for the same filter and state')
}
