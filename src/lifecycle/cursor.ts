import { hash } from 'node:crypto'
import type { ListedBefore } from '../adapters/contract.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'

/** The longest cursor that is read, in characters. */
const MAX_LENGTH = 512
/** The end of the year 9999: what comes after it is no time that a storage would have to know. */
const LATEST = 253_402_300_799

/**
 * Names the place after a record, for the same question. It carries no right: who may list at all
 * may start anywhere.
 *
 * @param question what the page was asked with
 */
export function cursorAfter({ iat, id }: ListedBefore, question: object): string {
  return Buffer.from(JSON.stringify([iat, id, markOf(question)])).toString('base64url')
}

/** The place that a cursor names; `undefined` for one that this question did not give. */
export function placeOf(cursor: string, question: object): ListedBefore | undefined {
  if (cursor.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined
  const [iat, id, mark]: unknown[] = parts
  if (typeof iat !== 'number' || !Number.isInteger(iat)) return undefined
  if (iat < 0 || iat > LATEST) return undefined
  if (typeof id !== 'string' || !IMPERSONATION_ID.test(id)) return undefined
  return mark === markOf(question) ? { iat, id } : undefined
}

function markOf(question: object): string {
  const members = Object.entries(question).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(members.sort()), 'base64url').slice(0, 16)
}
