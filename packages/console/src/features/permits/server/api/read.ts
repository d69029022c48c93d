import type { AuditRecord, StoredRecord } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { PermitFilter } from '../../../../ledger/filters.ts'
import { allReadable, allRecords } from '../../../../ledger/readable.ts'
import { orUnavailable } from '../../../../web/http/problem.ts'
import type { CustomerCall } from '../../../../web/parts.ts'

type Reading = Pick<CustomerCall, 'audit'>

/** Erasures are shown to those who may erase. */
const isShown = ({ kind }: AuditRecord) => kind !== 'erasure'

/** The records of a page that can be read (I17). */
export function recordsIn(stored: readonly StoredRecord[]): readonly AuditRecord[] {
  return allReadable(stored).filter(isShown)
}

export function findRecord({ audit }: Reading, id: string): Promise<AuditRecord | undefined> {
  return orUnavailable('records cannot be read now', async () => {
    const stored = isId(id) ? await audit.store.permit(id) : undefined
    return recordsIn(stored ? [stored] : [])[0]
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
  return orUnavailable('records cannot be read now', async () =>
    (await allRecords(audit.store, filter, most)).filter(isShown),
  )
}
