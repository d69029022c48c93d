import type { NamedEntry, StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../store.ts'
import { readEntries } from './settled-rows.ts'

/** How many permits are read at once. */
const PERMITS_PER_READ = 200
/** How often a permit is read again because it changed meanwhile. */
const MAX_ATTEMPTS = 20

/** A permit, and all entries that it is the sum of. */
export interface PermitLine {
  readonly permit: StoredPermit
  readonly entries: readonly NamedEntry[]
  /** It changed all the time while it was read: its entries may be of another moment. */
  readonly unsettled?: true
}

/** Each permit as it is at one moment: with the entries that it is the sum of. */
export async function* settledPermits(store: AuditStore): AsyncGenerator<readonly PermitLine[]> {
  for (let before: string | undefined; ; ) {
    const page = await store.permits({}, { before, limit: PERMITS_PER_READ })
    for (const { id } of page.permits) yield await readLine(store, id)
    if (page.next === undefined) return
    before = page.next
  }
}

/** An entry changes its permit in the same step: a version that is still the same has these entries. */
async function readLine(store: AuditStore, id: string): Promise<PermitLine[]> {
  let permit = await store.permit(id)
  for (let attempt = 1; permit; attempt += 1) {
    const entries = await readEntries(store, id)
    const again: StoredPermit | undefined = await store.permit(id)
    if (again?.version === permit.version) return [{ permit, entries }]
    if (attempt === MAX_ATTEMPTS) return [{ permit, entries, unsettled: true }]
    permit = again
  }
  return []
}
