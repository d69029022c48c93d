import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { Role } from '../kernel/roles.ts'

/** A person of the support: who calls, or who reads a page. */
interface SupportPerson {
  readonly id: string
  readonly role: Role
}

type Run = Pick<AuditRow, 'operator'>

/** Checks whether a person may see an impersonation and its entries. Operators see what they did. */
export function maySee({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role !== 'operator' || operator?.id === id
}

/** Checks whether a person may end an impersonation. A lead may end all. */
export function mayEnd({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role === 'lead' || (role === 'operator' && operator?.id === id)
}
