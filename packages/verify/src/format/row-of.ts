import { digestOf } from './digest.ts'
import {
  type AuditEntry,
  isAboutPermit,
  isRefusal,
  MISLABELLED_EVENT,
  permitOf,
  SET_ASIDE,
} from './entry.ts'

/** The form of an id of an impersonation: a SHA-256, base64url. */
const ROW_ID = /^[\w-]{43}$/

/**
 * The row of an entry: the impersonation, the permit, or for a refused request without one a row of its own.
 *
 * @param name a text that no other entry has
 */
export function rowOf(entry: AuditEntry, name: string): string | undefined {
  const { event, id, userId } = entry
  if (isAboutPermit(entry)) return permitOf(entry)
  // Of a permit: only a row can have an alarm.
  const isAlone = isRefusal(entry) || event === MISLABELLED_EVENT
  const isAct = event.startsWith('support.') || event === SET_ASIDE
  // In a denial, an id without a user is what the request asked for, and belongs to no token.
  if (id !== undefined && ROW_ID.test(id) && (isAct || userId !== undefined)) return id
  return isAlone ? digestOf(name) : undefined
}
