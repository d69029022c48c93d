import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../ledger/filters.ts'

/** The page of a customer, below the path of the console. */
export const customerPath = (id: string) => `/customers/${encodeURIComponent(id)}`

/** A path with the members of a query that have a value. */
export function pathWith(path: string, query: object): string {
  const members = Object.entries(query).filter(([, value]) => value !== undefined)
  const given = new URLSearchParams(members.map(([name, value]) => [name, String(value)]))
  return given.size === 0 ? path : `${path}?${given}`
}

/** The rows of the audit that match. @param more parameters beside the filter */
export const auditListPath = (filter: RowFilter, more: object = {}) =>
  pathWith('/audit', { ...filter, ...more })

/** The page of an impersonation in the audit. */
export const auditPath = (id: string) => `/audit/${encodeURIComponent(id)}`

/** The page of a record. */
export const recordPath = (id: string) => `/records/${encodeURIComponent(id)}`

/** The form to act as a customer, and what stands in it. */
export const actPath = (
  user: string,
  draft: Pick<AuditRow, 'reason' | 'ticket'> & { access?: 'change' | undefined } = {},
) => pathWith('/act', { user, ...draft })

/** The page of what there is of a person. */
export const personalDataPath = (id: string) => `/personal-data/${encodeURIComponent(id)}`
