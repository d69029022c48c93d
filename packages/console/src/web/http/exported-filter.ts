/** Members of a filter that can name a customer: ids, and what a person typed. */
const NAMING = ['customer', 'person', 'text', 'ticket'] as const

type Naming = (typeof NAMING)[number]

/** Checks whether a filter can name a customer. */
export function isNaming(filter: Readonly<Partial<Record<Naming, unknown>>>): boolean {
  return NAMING.some((member) => filter[member] !== undefined)
}

/**
 * A filter as the entry of an export has it, which no erasure removes: `true` in the place of what can name a
 * customer.
 */
export function namelessFilter(filter: object): Readonly<Record<string, unknown>> {
  const hidden: ReadonlySet<string> = new Set(NAMING)
  return Object.fromEntries(
    Object.entries(filter).map(([member, value]) => [member, hidden.has(member) || value]),
  )
}
