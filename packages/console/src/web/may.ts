import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { Caller } from './parts.ts'

/** A person of the support: the caller, or the reader of a page. */
type SupportPerson = Pick<Caller, 'id' | 'role'>
type Run = Pick<AuditRow, 'operator'>

/** Checks whether a person may see an impersonation and its entries. Operators see what they did. */
export function maySee({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role !== 'operator' || operator?.id === id
}

/** Checks whether a person may end an impersonation. A lead may end all. */
export function mayEnd({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role === 'lead' || (role === 'operator' && operator?.id === id)
}
