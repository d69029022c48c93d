import type { AuditRecord } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import { readAll } from '../../../../kernel/pages.ts'
import { PERMITS_PER_READ, type PermitFilter } from '../../../../ledger/filters.ts'
import { allReadable, readable } from '../../../../ledger/readable.ts'
import { orUnavailable } from '../../../../web/http/problem.ts'
import type { CustomerCall } from '../../../../web/parts.ts'

type Reading = Pick<CustomerCall, 'audit'>

export function findRecord({ audit }: Reading, id: string) {
  return orUnavailable('records cannot be read now', async () =>
    isId(id) ? readable(await audit.store.permit(id)) : undefined,
  )
}

/** The record that was stored a moment ago. */
export async function findStored(call: Reading, { id }: { readonly id: string }) {
  const record = await findRecord(call, id)
  if (record) return record
  throw new Error(`the record ${id} cannot be read any more`)
}

/** Finds records, the newest first. What cannot be read is left out (I17). @param most about so many */
export function findRecords(
  { audit }: Reading,
  filter: PermitFilter,
  most?: number,
): Promise<AuditRecord[]> {
  return orUnavailable('records cannot be read now', () =>
    readAll(
      (before) => audit.store.permits(filter, { before, limit: PERMITS_PER_READ }),
      ({ permits }) => allReadable(permits),
      most,
    ),
  )
}
