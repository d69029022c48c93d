import { hash } from 'node:crypto'
import type { AdapterPayload, Provider } from 'oidc-provider'
import type { ListedBefore, LookUp } from '../adapters/contract.ts'
import { readPages, requirePosition } from '../adapters/pages.ts'
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
import { present } from '../shared/json.ts'
import { hasCase } from '../shared/spellings.ts'
import {
  MAX_CLOCK_DIFFERENCE,
  MAX_CLOCK_TOLERANCE,
  type StoredEnd,
  type SubjectToken,
} from '../tokens/subject-token.ts'

/** The number of records read at once. */
export const PAGE_SIZE = 100
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
  for await (const records of listPages(provider, lookUpOf(filter), batch, start)) {
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

/** Yields all records that match, the newest first, page by page. */
export function listPages(
  provider: Provider,
  ...asked: [lookUp: LookUp, batch: number, start?: ListedBefore]
): AsyncGenerator<readonly AdapterPayload[]> {
  return readPages(requireEnding(provider), ...asked)
}

/** Returns the resources for which the last impersonations got opaque access tokens. */
export async function findOpaqueResources(provider: Provider): Promise<readonly string[]> {
  const records = await requireEnding(provider).list({}, PAGE_SIZE)
  const resources = records.flatMap((record) => {
    const note = instance(provider).subjectTokens.fromRecord(record)?.note
    return note?.format === 'opaque' ? [note.resource] : []
  })
  return [...new Set(resources)].sort()
}

/** Returns the user of the newest impersonation whose id has a letter of two cases. */
export async function findIdWithCase(provider: Provider): Promise<string | undefined> {
  let read = 0
  for await (const records of listPages(provider, {}, PAGE_SIZE)) {
    for (const record of records) {
      const id = isReserved(record) ? undefined : record.accountId
      if (typeof id === 'string' && hasCase(id)) return id
    }
    read += records.length
    if (read >= MAX_RECORDS_READ) return undefined
  }
  return undefined
}

export function lookUpOf({ userId, actor, requestedBy }: ImpersonationFilter): LookUp {
  return { accountId: userId, actor, clientId: requestedBy }
}

/** Filters that no adapter indexes: client and permit. */
export function matcherFor({
  client,
  permit,
}: ImpersonationFilter): (token: SubjectToken) => boolean {
  return ({ note, consumed, bindingObject, permit: before }) =>
    (client === undefined ||
      (consumed ? note?.client : bindingObject.mayAct?.clientId) === client) &&
    (permit === undefined || [note?.permit, before].flat().includes(permit))
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
  return Object.freeze(
    present({
      id: token.jti,
      state: stateOf(token),
      userId: token.accountId,
      actor: token.note?.act,
      ...describeParties(token),
      issuedAt: token.iat,
      redeemableUntil: token.exp ?? token.iat,
      startedAt: typeof token.consumed === 'number' ? token.consumed : undefined,
      status: statusOf(token),
    }),
  )
}

/** The facts of an ended impersonation, for its event. */
export function describeEnded(token: SubjectToken): Partial<ImpersonationEvent> {
  const bound = token.bindingObject.mayAct?.sub
  const actor = token.note?.act ?? (bound === undefined ? undefined : { sub: bound })
  return present({ id: token.jti, userId: token.accountId, actor, ...describeParties(token) })
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

function statusOf({ note, tokenStatus }: SubjectToken) {
  return note && note.format !== 'jwt' ? undefined : tokenStatus?.status_list
}

/** The public part of an end. */
export function shownEnd({ attempt: _, ...end }: StoredEnd): StoredEnd {
  return Object.freeze(end)
}

/**
 * Encodes the position after a record, for the same query. It carries no right, because whoever
 * may list at all may start anywhere.
 *
 * @param question - the query of the page
 */
function cursorAfter({ iat, id }: ListedBefore, question: object): string {
  return Buffer.from(`${iat}.${id}.${hashQuestion(question)}`).toString('base64url')
}

/** @throws {@link InvalidInput} for a cursor that this query did not give */
function parseCursor(cursor: string, question: object): ListedBefore {
  const [, iat, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = id === undefined ? undefined : { iat: Number(iat), id }
  if (position && cursorAfter(position, question) === cursor) return position
  throw new InvalidInput('cursor is not one that was given for the same filter and state')
}

function hashQuestion(question: object): string {
  const members = Object.entries(question).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(members.sort()), 'base64url').slice(0, 16)
}
