import { entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import { decodeEntry, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, StoredEntry } from '../store.ts'
import { readTimelines } from './timelines.ts'

/** What the entries of an impersonation or a permit say of its customer. */
interface Said {
  isCustomer: boolean
  isOther: boolean
  /** The first customer that an API told. */
  told: string | undefined
}

/**
 * Those impersonations and permits whose entries say that they are the customer's. What the storage says of them
 * proves nothing: the entries are in the chain.
 */
export async function findProved(
  store: Pick<AuditStore, 'timelines'>,
  ids: readonly string[],
  customer: string,
): Promise<ReadonlySet<string>> {
  const all = new Map(ids.map((id) => [id, { isCustomer: false, isOther: false } as Said]))
  for await (const entries of readTimelines(store, ids)) {
    for (const entry of entries) {
      const said = entry.row === undefined ? undefined : all.get(entry.row)
      if (said) listen(said, entry, customer)
    }
  }
  return new Set(ids.filter((id) => isProved(all.get(id), customer)))
}

function isProved(said: Said | undefined, customer: string): boolean {
  return said !== undefined && !said.isOther && (said.isCustomer || said.told === customer)
}

function listen(said: Said, { text, digest, row }: StoredEntry, customer: string): void {
  // What was moved here, or changed, says nothing.
  if (text === undefined || entryDigestOf(text, row) !== digest) said.isOther = true
  const entry = text === undefined ? undefined : decodeEntry(text)
  if (entry?.subject === undefined) return
  // An API may tell anything. It is asked only where the provider says nothing.
  if (entry.event === USED_EVENT) said.told ??= entry.subject
  else if (entry.subject === customer) said.isCustomer = true
  else said.isOther = true
}
