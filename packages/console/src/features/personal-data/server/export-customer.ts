import { isAlarmOpen, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { linesWithEntries } from '../../../ledger/keeping/export.ts'
import { readable } from '../../../ledger/readable.ts'
import { type DataRequest, type ErasureParts, raiseAlarms } from './erase.ts'
import { type InForce, InForceError } from './in-force.ts'
import { checkedItemsOf, type Item } from './of-customer.ts'

/**
 * All that the audit has of a customer, as JSON Lines in ASCII: each impersonation and refused request with
 * all its `entries`, newest first; then each permit about them, `{"permit": …, "entries": […]}`.
 * Text comes in parts.
 *
 * What is another customer's by its entries is left out, and an alarm is raised. A permit that cannot be
 * read is left out.
 *
 * @throws InForceError after the last line, where something was left out
 */
export async function* exportCustomer(
  parts: Pick<ErasureParts, 'now' | 'record' | 'store'>,
  customer: string,
  request: DataRequest,
): AsyncGenerator<string> {
  const { store, now } = parts
  await store.assertSchema()
  const others: InForce[] = []
  for await (const items of checkedItemsOf(store, customer, now())) {
    const lines = new Map<string, object>()
    for (const item of items) {
      const { kind, id, isProved } = item
      const line = isProved ? exportedLine(item, now()) : undefined
      if (line) lines.set(id, line)
      else others.push({ kind, id, why: isProved ? 'unreadable' : 'tampered' })
    }
    yield* linesWithEntries(store, lines)
  }
  await raiseAlarms(parts, others, request)
  if (others.length > 0) throw new InForceError(others, 'this is left out of the export')
}

/** Absent for a permit that cannot be read. */
function exportedLine(item: Item, now: number): object | undefined {
  if (item.kind === 'impersonation') {
    const { row } = item
    return { ...row, outcome: outcomeOf(row, now), isAlarmOpen: isAlarmOpen(row) }
  }
  const permit = readable(item.permit)
  return permit && { permit }
}
