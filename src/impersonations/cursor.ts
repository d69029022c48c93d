import { hash } from 'node:crypto'
import type { ListedBefore } from '../adapters/contract.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'

/** The longest cursor that is read, in characters. */
const MAX_CURSOR_LENGTH = 512
/** The end of the year 9999: what comes after it is no time that a storage would have to know. */
const MAX_EPOCH_SECONDS = 253_402_300_799

/**
 * Names the position after a record, for the same question. It carries no right: who may list at all
 * may start anywhere.
 *
 * @param question what the page was asked with
 */
export function cursorAfter({ iat, id }: ListedBefore, question: object): string {
  return Buffer.from(JSON.stringify([iat, id, hashQuestion(question)])).toString('base64url')
}

/** The position that a cursor names; `undefined` for one that this question did not give. */
export function parseCursor(cursor: string, question: object): ListedBefore | undefined {
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined
  const [iat, id, mark]: unknown[] = parts
  if (typeof iat !== 'number' || !Number.isInteger(iat)) return undefined
  if (iat < 0 || iat > MAX_EPOCH_SECONDS) return undefined
  if (typeof id !== 'string' || !IMPERSONATION_ID.test(id)) return undefined
  return mark === hashQuestion(question) ? { iat, id } : undefined
}

function hashQuestion(question: object): string {
  const members = Object.entries(question).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(members.sort()), 'base64url').slice(0, 16)
}
