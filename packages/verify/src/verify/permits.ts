import { isDeepStrictEqual } from 'node:util'
import type { AuditEntry } from '../format/entry.ts'
import { type AnyPermit, foldAny, storedPermitOf } from '../format/permit.ts'
import { slotOf } from '../format/slots.ts'

/**
 * Adds an entry to what the entries before say. A permit of which it does not tell is not its sum: so an
 * impersonation cannot be passed off as a permit.
 *
 * @returns `undefined` for an entry that is none of a permit, or does not fit
 */
export function addToPermit(
  record: AnyPermit | undefined,
  id: string,
  entry: AuditEntry,
): AnyPermit | undefined {
  if (entry.permit !== id) return undefined
  try {
    return foldAny(record, entry)
  } catch {
    return undefined
  }
}

/**
 * What the storage has to have of a permit.
 *
 * @param stored what it has: a later version may write the same in another order
 */
export function rightPermit(record: AnyPermit | undefined, stored: object): object {
  if (!record) return { ...stored, id: '' }
  const right = storedPermitOf(record, slotOf(record))
  const data: unknown = Reflect.get(stored, 'data')
  return isSame(data, right.data) ? { ...right, data } : right
}

function isSame(stored: unknown, right: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(String(stored)), JSON.parse(right))
  } catch {
    return false
  }
}
