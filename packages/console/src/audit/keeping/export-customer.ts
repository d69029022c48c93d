import { asciiJson, parseAny } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../store.ts'
import { entriesAsJson, rowAsJson } from './export.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'

/**
 * All that the audit has of a customer, as JSON Lines in ASCII: each impersonation and refused request as
 * `exportJsonLines` has it, newest first; then each permit about them, `{"permit": …, "entries": […]}`.
 * Text comes in parts: a line may be longer than what fits in memory.
 */
export async function* exportCustomer(
  store: AuditStore,
  customer: string,
  now: number,
): AsyncGenerator<string> {
  for await (const rows of rowsOfCustomer(store, customer, now)) {
    for (const row of rows) yield* rowAsJson(store, row, now)
  }
  for await (const permits of permitsOfCustomer(store, customer)) {
    for (const permit of permits) {
      yield `{"permit":${asciiJson(parseAny(permit))},"entries":[`
      yield* entriesAsJson(store, permit.id)
      yield ']}\n'
    }
  }
}
