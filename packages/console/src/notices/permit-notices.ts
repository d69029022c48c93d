import {
  type AnyPermit,
  type AuditEntry,
  type GivenPermit,
  isNextAttempt,
  MAX_FAILURES,
  type NoticeKind,
  type PermitRecord,
  pendingKindsIn,
} from 'oidc-provider-impersonation-verify/format'
import type { PermitStore } from '../audit/permit-store.ts'
import { allReadable } from '../audit/readable.ts'
import type { Notice } from '../notice.ts'
import { findAsked, isTold } from '../permits/asked.ts'
import type { Decisions } from '../permits/decisions.ts'
import type { DueNotice, NoticeSource } from './source.ts'

/** Another process began the attempt. */
class Taken extends Error {
  override readonly name = 'Taken'
}

/** Of permits: an attempt begins with a decision on the permit, which one process makes. */
export function permitNotices(
  store: Pick<PermitStore, 'permits'>,
  { decide }: Pick<Decisions, 'decide'>,
  write: (permit: GivenPermit, kind: NoticeKind) => Promise<Notice>,
): NoticeSource {
  const dueOf = (permit: GivenPermit): DueNotice => {
    const kinds = pendingKindsIn(permit.notice)
    return {
      ...{ id: permit.id, last: permit.notice?.last },
      about: { permit: permit.id, subject: permit.customer.id },
      kindsDue: () => kinds,
      write: ([kind]) =>
        kind ? write(permit, kind) : Promise.reject(new Error('there is nothing to tell')),
    }
  }

  return {
    async findDue(now, limit) {
      const { permits } = await store.permits(
        { noticeDueBefore: now },
        { limit, oldestFirst: true },
      )
      return allReadable(permits).flatMap((each) => (each.kind === 'pause' ? [] : dueOf(each)))
    },
    async begin({ id, about }, entry) {
      const asked = await findAsked(store, { customer: about.subject ?? '', now: entry.time })
      try {
        const permit = await decide(id, (stored) => chooseEntry(stored, entry, asked))
        if (!permit || permit.kind === 'pause') return undefined
        return isAnswerable(permit, entry.time) ? dueOf(permit) : undefined
      } catch (error) {
        if (error instanceof Taken) return undefined
        throw error
      }
    },
    async finish({ id }, entry) {
      await decide(id, () => entry)
    },
  }
}

/**
 * @param asked the requests of which the customer is told in these days
 * @throws Taken where another process began the attempt, or another request is told before
 */
function chooseEntry(
  stored: AnyPermit | undefined,
  entry: AuditEntry,
  asked: readonly PermitRecord[],
): AuditEntry {
  const { notice } = entry
  if (!stored || !notice || !isNextAttempt(stored, notice)) throw new Taken()
  // Two processes can ask at once: the first request is told.
  const others = stored.kind === 'approval' ? asked.filter((each) => isBefore(each, stored)) : []
  if (others.length > 0 && !others.some(isTold)) throw new Taken()
  if (others.length === 0 && isAnswerable(stored, entry.time)) return entry
  // What cannot be answered any more is not told.
  return { ...entry, event: 'support.unnotified', notice: { ...notice, failures: MAX_FAILURES } }
}

function isBefore(one: PermitRecord, other: PermitRecord): boolean {
  return (
    (one.requestedAt - other.requestedAt || (one.id < other.id ? -1 : 1)) < 0 && one.id !== other.id
  )
}

function isAnswerable(permit: AnyPermit, now: number): boolean {
  if (permit.kind !== 'approval') return true
  return permit.state === 'requested' && now < (permit.lapsesAt ?? now)
}
