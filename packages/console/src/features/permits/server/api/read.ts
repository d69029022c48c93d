import type { AuditRecord } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { PermitFilter } from '../../../../ledger/filters.ts'
import { allRecords, readable } from '../../../../ledger/readable.ts'
import { orUnavailable } from '../../../../web/http/problem.ts'
import type { CustomerCall } from '../../../../web/parts.ts'

type Reading = Pick<CustomerCall, 'audit'>

export function findRecord({ audit }: Reading, id: string): Promise<AuditRecord | undefined> {
  return orUnavailable('records cannot be read now', async () => {
    return readable(isId(id) ? await audit.store.permit(id) : undefined)
  })
}

/** The record that was stored a moment ago. */
export async function findStored(call: Reading, { id }: { readonly id: string }) {
  const record = await findRecord(call, id)
  if (record) return record
  throw new Error(`the record ${id} cannot be read any more`)
}

/** Finds records, the newest first. @param most about so many */
export function findRecords(
  { audit }: Reading,
  filter: PermitFilter,
  most?: number,
): Promise<AuditRecord[]> {
  return orUnavailable('records cannot be read now', () => allRecords(audit.store, filter, most))
}
