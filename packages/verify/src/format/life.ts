import { type AuditEntry, USED_EVENT } from './entry.ts'
import type { AuditRow } from './row.ts'

type Life = Pick<AuditRow, 'askedAt' | 'expiresAt' | 'isStartInferred' | 'startedAt'>

/**
 * When an impersonation was asked for, when it started, and when what was issued expires. A request to
 * an API proves a start of which there is no entry. The result is the same in whatever order entries
 * are stored: an entry of the start beats what requests prove.
 */
export function lifeOf(row: Life, { event, timeMs: time, expiresAt }: AuditEntry): Life {
  const expiry = expiresAt === undefined ? undefined : expiresAt * 1000
  switch (event) {
    case 'impersonation.issued':
      return {
        askedAt: Math.min(row.askedAt ?? time, time),
        startedAt: row.startedAt,
        expiresAt: isStartKnown(row) ? row.expiresAt : latest(row.expiresAt, expiry),
        isStartInferred: row.isStartInferred,
      }
    case 'impersonation.started':
      return {
        askedAt: row.askedAt,
        startedAt: isStartKnown(row) ? Math.min(row.startedAt ?? time, time) : time,
        expiresAt: expiry ?? row.expiresAt,
        isStartInferred: undefined,
      }
    case USED_EVENT:
      if (isStartKnown(row)) return row
      return {
        askedAt: row.askedAt,
        startedAt: Math.min(row.startedAt ?? time, time),
        expiresAt: latest(row.expiresAt, time),
        isStartInferred: true,
      }
    default:
      return row
  }
}

function isStartKnown({ startedAt, isStartInferred }: Life): boolean {
  return startedAt !== undefined && !isStartInferred
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
