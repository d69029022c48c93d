import assert from 'node:assert/strict'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import {
  type EndingAdapter,
  hasEnding,
  type LookUp,
  missingForEnding,
} from 'oidc-provider-impersonation/adapters/contract'
import { unique } from './unique.ts'

/** Returns the adapter, if it can list and end impersonations. */
export function requireEnding(adapter: Adapter): EndingAdapter {
  if (!hasEnding(adapter)) assert.fail(`no ${missingForEnding(adapter).join(', ')}`)
  return adapter
}

/** The adapter of subject tokens. */
export function subjectTokens(factory: (model: string) => Adapter): EndingAdapter {
  return requireEnding(factory('SubjectToken'))
}

/** A second in which the records of these cases were issued. */
export const ISSUED_SECONDS = Math.floor(Date.now() / 1000) - 100

/** The members of a record that is listed. */
export function issued(members: AdapterPayload = {}): AdapterPayload {
  return { kind: 'SubjectToken', iat: ISSUED_SECONDS, accountId: unique('account'), ...members }
}

/** A record that is listed. */
export function record(id: string, members?: AdapterPayload): AdapterPayload {
  return { jti: id, ...issued(members) }
}

/** The ids of a page, in its order. */
export async function listed(
  adapter: EndingAdapter,
  lookUp: LookUp,
  limit = 100,
): Promise<unknown[]> {
  return (await adapter.list(lookUp, limit)).map(({ jti }) => jti)
}

/** The indices of a list, in order. */
export async function endedIn(adapter: EndingAdapter, list: string): Promise<number[]> {
  return (await adapter.endedIndices(list)).toSorted((a, b) => a - b)
}

export async function destroyAll(adapter: Adapter, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => adapter.destroy(id)))
}

/** Strings that storage engines confuse with something else. Each is a key of its own. */
export function oddStrings(): string[] {
  const own = unique('odd')
  return [
    own,
    own.toUpperCase(),
    `${own} `,
    ` ${own}`,
    `${own}\0`,
    `${own}\0x`,
    `${own}\\0`,
    `${own}\\u0000`,
    `${own}\ud800`,
    `${own}\udfff`,
    `${own}\ufffd`,
    `${own}:all`,
    `${own}*`,
    `${own}?`,
    `${own}[a-z]`,
    `${own}%`,
    `${own}_`,
    `${own}'--`,
    `${own}"`,
    `${own}{x}`,
    `${own}$ne`,
    `${own}é`,
    `${own}e\u0301`,
    `${own}🔑`,
    `${own}\n`,
    own.padEnd(255, 'x'),
    own.padEnd(255, '€'),
    `${own}.constructor`,
  ]
}
