import { type Unapproved, unapprovedBy } from 'oidc-provider-impersonation-verify/format'
import { readable } from './readable.ts'
import type { FoundRow, Sum } from './store.ts'

/** Returns how nobody approved a row. @param sums those of the permits that allowed it, by id */
export function unapprovedOf(
  { permit = [] }: Pick<FoundRow, 'permit'>,
  sums: ReadonlyMap<string, Sum | 'unreadable'>,
): Unapproved {
  const all = [permit].flat().flatMap((id) => {
    const sum = sums.get(id)
    const record = typeof sum === 'object' && sum.kind === 'record' && readable(sum.permit)
    return record ? unapprovedBy(record) : []
  })
  return all.find(({ unapproved }) => unapproved) ?? {}
}
