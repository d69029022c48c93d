import type { AuditEntry } from '../audit/entry.ts'
import type { StoredPermit } from '../audit/permit-store.ts'

/** What the entries of a permit say of it. Members that are left out are not compared. */
export type PermitSum = Partial<StoredPermit> & Pick<StoredPermit, 'at' | 'id' | 'version'>

/**
 * Adds an entry to what the entries before say. A permit of which it does not tell is not its sum: so an
 * impersonation cannot be passed off as a permit.
 */
export function addToPermit(sum: PermitSum | undefined, id: string, entry: AuditEntry): PermitSum {
  return {
    id: Reflect.get(entry, 'permit') === id ? id : '',
    version: (sum?.version ?? 0) + 1,
    at: sum?.at ?? entry.time,
  }
}
