import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import { type LineStart, linesWithEntries, rowStart } from '../../../ledger/keeping/export.ts'
import { readable } from '../../../ledger/readable.ts'
import { type DataRequest, type ErasureParts, raiseAlarms } from './erase.ts'
import { type InForce, InForceError } from './in-force.ts'
import { checkedItemsOf, type Item } from './of-customer.ts'

/**
 * All that the audit has of a customer, as JSON Lines in ASCII: each impersonation and refused request with
 * all its `entries`, newest first; then each permit about them, `{"permit": …, "entries": […]}`.
 * Text comes in parts: a line may be longer than what fits in memory.
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
    const starts: LineStart[] = []
    for (const item of items) {
      const { kind, id, isProved } = item
      const start = isProved ? lineStart(item, now()) : undefined
      if (start) starts.push(start)
      else others.push({ kind, id, why: isProved ? 'unreadable' : 'tampered' })
    }
    yield* linesWithEntries(store, starts)
  }
  await raiseAlarms(parts, others, request)
  if (others.length > 0) throw new InForceError(others, 'this is left out of the export')
}

/** Absent for a permit that cannot be read. */
function lineStart(item: Item, now: number): LineStart | undefined {
  if (item.kind === 'impersonation') return rowStart(item.row, now)
  const record = readable(item.permit)
  return record && { id: item.id, text: `{"permit":${asciiJson(record)}` }
}
