import { entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import { decodeEntry, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, StoredEntry } from '../store.ts'

/** How many entries are read at once. */
const ENTRIES_PER_READ = 1000

/**
 * Whether the entries of an impersonation or a permit say that it is the customer's. What the storage says of it
 * proves nothing: the entries are in the chain.
 */
export async function isOfCustomer(
  store: Pick<AuditStore, 'timeline'>,
  id: string,
  customer: string,
): Promise<boolean> {
  let isSaid = false
  /** The first customer that an API told. */
  let told: string | undefined
  for await (const { text, digest } of entriesOf(store, id)) {
    // What was moved here, or changed, says nothing.
    if (text === undefined || entryDigestOf(text, id) !== digest) return false
    const entry = decodeEntry(text)
    if (entry?.subject === undefined) continue
    // An API may tell anything. It is asked only where the provider says nothing.
    if (entry.event === USED_EVENT) told ??= entry.subject
    else if (entry.subject === customer) isSaid = true
    else return false
  }
  return isSaid || told === customer
}

async function* entriesOf(
  store: Pick<AuditStore, 'timeline'>,
  id: string,
): AsyncGenerator<StoredEntry> {
  for (let after: string | undefined; ; ) {
    const page = await store.timeline(id, { after, limit: ENTRIES_PER_READ })
    yield* page
    after = page.at(-1)?.cursor
    if (after === undefined || page.length < ENTRIES_PER_READ) return
  }
}
