import type { AuditPerson, AuditRow } from 'oidc-provider-impersonation-verify/format'

/** A person by the id, with the name that is known, or that the row has. */
export function personOfRow(
  { operator, customer }: Pick<AuditRow, 'customer' | 'operator'>,
  id: string | undefined,
  name: string | undefined,
): AuditPerson | undefined {
  if (id === undefined) return undefined
  if (name !== undefined) return { id, name }
  return [operator, customer].find((person) => person?.id === id) ?? { id }
}
