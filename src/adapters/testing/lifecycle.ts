import assert from 'node:assert/strict'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import {
  hasLifecycle,
  type LifecycleAdapter,
  type LookUp,
  missingForLifecycle,
} from '../contract.ts'
import type { FactoryUnderTest } from './contract-case.ts'
import { unique } from './unique.ts'

/** The adapter, by which impersonations can be seen and ended. */
export function lifecycleOf(adapter: Adapter): LifecycleAdapter {
  if (!hasLifecycle(adapter)) assert.fail(`no ${missingForLifecycle(adapter).join(', ')}`)
  return adapter
}

/** The adapter of subject tokens. */
export function subjectTokens(factory: FactoryUnderTest): LifecycleAdapter {
  return lifecycleOf(factory('SubjectToken'))
}

/** A second in which the records of these cases were issued. */
export const ISSUED = 1_700_000_000

/** A record that is listed. */
export function record(id: string, members: AdapterPayload = {}): AdapterPayload {
  return { jti: id, kind: 'SubjectToken', iat: ISSUED, accountId: unique('account'), ...members }
}

/** The ids of a page, in its order. */
export async function listed(
  adapter: LifecycleAdapter,
  lookUp: LookUp,
  limit = 100,
): Promise<unknown[]> {
  return (await adapter.list(lookUp, limit)).map(({ jti }) => jti)
}

/** The indices of a list, in order. */
export async function endedIn(adapter: LifecycleAdapter, list: string): Promise<number[]> {
  return (await adapter.endedIndices(list)).toSorted((a, b) => a - b)
}

export async function destroyAll(adapter: Adapter, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => adapter.destroy(id)))
}

/** Strings that storage engines take for something else: each is a key of its own. */
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
