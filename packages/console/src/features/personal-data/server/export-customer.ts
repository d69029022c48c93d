import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import { type LineStart, linesWithEntries, rowStart } from '../../../ledger/keeping/export.ts'
import { readable } from '../../../ledger/readable.ts'
import { type DataRequest, type ErasureParts, raiseAlarms } from './erase.ts'
import { type InForce, InForceError } from './in-force.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'
import { findProved } from './prove-customer.ts'

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
  async function* lines(kind: InForce['kind'], starts: readonly LineStart[]) {
    const proved = await findProved(
      store,
      starts.map(({ id }) => id),
      customer,
    )
    const isProved = ({ id }: LineStart) => proved.has(id)
    for (const { id } of starts.filter((start) => !isProved(start))) {
      // Another call, or retention, may have removed it meanwhile.
      const isThere = await (kind === 'permit' ? store.permit(id) : store.row(id))
      if (isThere) others.push({ kind, id, why: 'tampered' })
    }
    yield* linesWithEntries(store, starts.filter(isProved))
  }
  for await (const rows of rowsOfCustomer(store, customer, now())) {
    yield* lines(
      'impersonation',
      rows.map((row) => rowStart(row, now())),
    )
  }
  for await (const permits of permitsOfCustomer(store, customer)) {
    const starts: LineStart[] = []
    for (const permit of permits) {
      const { id } = permit
      const record = readable(permit)
      if (record) starts.push({ id, text: `{"permit":${asciiJson(record)}` })
      else others.push({ kind: 'permit', id, why: 'unreadable' })
    }
    yield* lines('permit', starts)
  }
  await raiseAlarms(parts, others, request)
  if (others.length > 0) throw new InForceError(others, 'this is left out of the export')
}
