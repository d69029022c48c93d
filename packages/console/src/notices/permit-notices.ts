import {
  type AnyPermit,
  type AuditEntry,
  type GivenPermit,
  isNextAttempt,
  MAX_FAILURES,
  type NoticeKind,
  parseAny,
  pendingKindsIn,
  type StoredPermit,
} from 'oidc-provider-impersonation-verify/format'
import type { PermitStore } from '../audit/permit-store.ts'
import type { Notice } from '../notice.ts'
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
      return permits.flatMap(readableOf).map(dueOf)
    },
    async begin({ id }, entry) {
      try {
        const permit = await decide(id, (stored) => chooseEntry(stored, entry))
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

/** I17: one that cannot be read does not hold up the others. Of a pause, nothing is to be told. */
function readableOf(stored: StoredPermit): GivenPermit[] {
  try {
    const permit = parseAny(stored)
    return permit.kind === 'pause' ? [] : [permit]
  } catch {
    return []
  }
}

/** @throws Taken */
function chooseEntry(stored: AnyPermit | undefined, entry: AuditEntry): AuditEntry {
  const { notice } = entry
  if (!stored || !notice || !isNextAttempt(stored, notice)) throw new Taken()
  if (isAnswerable(stored, entry.time)) return entry
  // What cannot be answered any more is not told.
  return { ...entry, event: 'support.unnotified', notice: { ...notice, failures: MAX_FAILURES } }
}

function isAnswerable(permit: AnyPermit, now: number): boolean {
  if (permit.kind !== 'approval') return true
  return permit.state === 'requested' && now < (permit.lapsesAt ?? now)
}
