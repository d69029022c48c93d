import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { Role } from '../kernel/roles.ts'

/** A person of the support: who calls, or who reads a page. */
interface SupportPerson {
  readonly id: string
  readonly role: Role
}

type Run = Pick<AuditRow, 'operator'>

/** Whether an impersonation and its entries are shown to a person: operators see what they did. */
export function maySee({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role !== 'operator' || operator?.id === id
}

/** Whether a person may end an impersonation: a lead may end all. */
export function mayEnd({ id, role }: SupportPerson, { operator }: Run): boolean {
  return role === 'lead' || (role === 'operator' && operator?.id === id)
}
