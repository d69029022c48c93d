import { isTextOf } from 'oidc-provider-impersonation-verify/chain'
import { decodeEntry, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { readTimelines } from '../../../ledger/keeping/export.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/**
 * Those impersonations and permits whose entries say that they are the customer's. What the storage says of them
 * proves nothing: the entries are sealed.
 */
export async function findProved(
  store: Pick<AuditStore, 'timelines'>,
  ids: readonly string[],
  customer: string,
): Promise<ReadonlySet<string>> {
  const theirs = new Set<string>()
  const others = new Set<string>()
  /** The first customer that an API told. */
  const told = new Map<string, string>()
  for await (const entries of readTimelines(store, ids)) {
    for (const { row = '', text, digest } of entries) {
      // What was erased before says nothing. What was changed says that it is not theirs.
      if (text === undefined) continue
      if (!isTextOf(text, digest)) others.add(row)
      const entry = decodeEntry(text)
      if (entry?.userId === undefined) continue
      // An API may tell anything. It is asked only where the provider says nothing.
      if (entry.event === USED_EVENT) told.set(row, told.get(row) ?? entry.userId)
      else (entry.userId === customer ? theirs : others).add(row)
    }
  }
  const isTheirs = (id: string) => theirs.has(id) || told.get(id) === customer
  return new Set(ids.filter((id) => !others.has(id) && isTheirs(id)))
}
