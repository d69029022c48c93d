import type { Range } from './dates.ts'

/** The page of a customer, below the path of the console. */
export const customerPath = (id: string) => `/customers/${encodeURIComponent(id)}`

/** The page of an impersonation in the audit. */
export const auditPath = (id: string) => `/audit/${encodeURIComponent(id)}`

/** The rows of a time. @param condition more parameters of the address */
export const auditRangePath = ({ from, to }: Range, condition: Record<string, string>) =>
  `/audit?${new URLSearchParams({ from: `${from}`, to: `${to}`, ...condition })}`

/** The page of a permit. */
export const permitPath = (id: string) => `/approvals/${encodeURIComponent(id)}`

/** The page of a pause. */
export const pausePath = (id: string) => `/pauses/${encodeURIComponent(id)}`

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
