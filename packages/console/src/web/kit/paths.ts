import type { RowFilter } from '../../ledger/filters.ts'

/** The page of a customer, below the path of the console. */
export const customerPath = (id: string) => `/customers/${encodeURIComponent(id)}`

/** The rows of the audit that match. @param more parameters beside the filter */
export const auditListPath = (filter: RowFilter, more: Readonly<Record<string, string>> = {}) => {
  const members = Object.entries({ ...filter, ...more }).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(members.map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '/audit' : `/audit?${query}`
}

/** The page of an impersonation in the audit. */
export const auditPath = (id: string) => `/audit/${encodeURIComponent(id)}`

/** The page of a record. */
export const recordPath = (id: string) => `/records/${encodeURIComponent(id)}`

/** The form to act as a customer, and what stands in it. */
export const actPath = (
  id: string,
  {
    ticket,
    reason,
    access,
  }: { ticket?: string; reason?: string; access?: 'change' | undefined } = {},
) =>
  `/act?${new URLSearchParams({
    user: id,
    ...(ticket !== undefined && { ticket }),
    ...(reason !== undefined && { reason }),
    ...(access !== undefined && { access }),
  })}`

/** The page of what there is of a person. */
export const personalDataPath = (id: string) => `/personal-data/${encodeURIComponent(id)}`
