import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRecord,
  parseRecord,
  reasonOf,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../kernel/log-line.ts'

/** How many permits are remembered of which the log says that they cannot be read. */
const MAX_REMEMBERED = 1000

const logged = new BoundedMap<string, true>(MAX_REMEMBERED)

/** I17: a permit that cannot be read stops nothing but itself. It is as one that is not there, and logged once. */
export function readable(stored: StoredRecord | undefined): AuditRecord | undefined {
  try {
    return stored && parseRecord(stored)
  } catch (error) {
    const { id = '' } = stored ?? {}
    if (!logged.has(id)) log(`the permit ${id} allows nothing: ${reasonOf(error)}`)
    logged.set(id, true)
    return undefined
  }
}

/** The permits of a page that can be read. */
export function allReadable(stored: readonly StoredRecord[]): AuditRecord[] {
  return stored.flatMap((each) => readable(each) ?? [])
}
