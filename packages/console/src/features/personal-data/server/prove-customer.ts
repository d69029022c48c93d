import { isTextOf } from 'oidc-provider-impersonation-verify/chain'
import { decodeEntry, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { readTimelines } from '../../../ledger/keeping/timelines.ts'
import type { AuditStore, StoredEntry } from '../../../ledger/store.ts'

/** What the entries of an impersonation or a permit say of its customer. */
interface SaidOfCustomer {
  isCustomer: boolean
  isOther: boolean
  /** The first customer that an API told. */
  told: string | undefined
}

/**
 * Those impersonations and permits whose entries say that they are the customer's. What the storage says of them
 * proves nothing: the entries are sealed.
 */
export async function findProved(
  store: Pick<AuditStore, 'timelines'>,
  ids: readonly string[],
  customer: string,
): Promise<ReadonlySet<string>> {
  const all = new Map(
    ids.map((id) => [id, { isCustomer: false, isOther: false } as SaidOfCustomer]),
  )
  for await (const entries of readTimelines(store, ids)) {
    for (const entry of entries) {
      const said = entry.row === undefined ? undefined : all.get(entry.row)
      if (said) listen(said, entry, customer)
    }
  }
  return new Set(ids.filter((id) => isProved(all.get(id), customer)))
}

function isProved(said: SaidOfCustomer | undefined, customer: string): boolean {
  return said !== undefined && !said.isOther && (said.isCustomer || said.told === customer)
}

function listen(said: SaidOfCustomer, { text, digest }: StoredEntry, customer: string): void {
  // What was erased before says nothing. What was changed says that it is not theirs.
  if (text === undefined) return
  if (!isTextOf(text, digest)) said.isOther = true
  const entry = decodeEntry(text)
  if (entry?.userId === undefined) return
  // An API may tell anything. It is asked only where the provider says nothing.
  if (entry.event === USED_EVENT) said.told ??= entry.userId
  else if (entry.userId === customer) said.isCustomer = true
  else said.isOther = true
}
