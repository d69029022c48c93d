import {
  type AnswerRecord,
  type AuditEntry,
  type AuditRecord,
  isAnswer,
  isNextAttempt,
  isPermit,
  MAX_FAILURES,
  type NoticeKind,
  type PermitRecord,
  pendingKindsIn,
} from 'oidc-provider-impersonation-verify/format'
import { findAsked, isTold } from '../../../ledger/asked.ts'
import {
  type BegunAttempt,
  nextTry,
  type OutboxSource,
  triedOutcome,
} from '../../../ledger/outbox/source.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** Another process began the attempt. */
class Taken extends Error {
  override readonly name = 'Taken'
}

/** Stores a decision on a permit; `undefined` where there is no such permit. */
export type DecideOnPermit = (
  id: string,
  entryOf: (stored: AuditRecord | undefined) => AuditEntry,
) => Promise<AuditRecord | undefined>

/** Of permits: an attempt begins with a decision on the permit, which one process makes. */
export function permitNotices(
  store: Pick<AuditStore, 'permits'>,
  decide: DecideOnPermit,
  tell: (
    permit: AnswerRecord | PermitRecord,
    kind: NoticeKind,
    signal: AbortSignal,
  ) => Promise<unknown>,
): OutboxSource {
  async function begin(
    found: AnswerRecord | PermitRecord,
    timeMs: number,
  ): Promise<BegunAttempt | undefined> {
    const { id, customer } = found
    const [kind] = pendingKindsIn(found.notice)
    if (kind === undefined) return undefined
    const tried = nextTry(found.notice?.last, [kind])
    const about = { permit: id, userId: customer.id }
    const entry: AuditEntry = { event: 'support.notifying', timeMs, ...about, notice: tried }
    const asked = await findAsked(store, { customer: customer.id, now: timeMs })
    try {
      const permit = await decide(id, (stored) => chooseEntry(stored, entry, asked))
      if (!isTellable(permit) || !isAnswerable(permit, timeMs)) return undefined
      if (!pendingKindsIn(permit.notice).includes(kind)) return undefined
      return {
        tell: (signal) => tell(permit, kind, signal),
        async finish(isTold, time) {
          await decide(id, () => ({ timeMs: time, ...about, ...triedOutcome(tried, isTold) }))
        },
      }
    } catch (error) {
      if (error instanceof Taken) return undefined
      throw error
    }
  }

  return {
    async findDue(now, limit) {
      const { permits } = await store.permits(
        { noticeDueBefore: now },
        { limit, oldestFirst: true },
      )
      return allReadable(permits).flatMap((each) =>
        isTellable(each) ? { id: each.id, begin: (time) => begin(each, time) } : [],
      )
    },
  }
}

const isTellable = (record: AuditRecord | undefined) => isAnswer(record) || isPermit(record)

/**
 * @param asked the requests of which the customer is told in these days
 * @throws Taken where another process began the attempt, or another request is told before
 */
function chooseEntry(
  stored: AuditRecord | undefined,
  entry: AuditEntry,
  asked: readonly PermitRecord[],
): AuditEntry {
  const { notice } = entry
  if (!stored || !notice || !isNextAttempt(stored.notice, notice)) throw new Taken()
  // Two processes can ask at once: the first request is told.
  const others = stored.kind === 'approval' ? asked.filter((each) => isBefore(each, stored)) : []
  if (others.length > 0 && !others.some(isTold)) throw new Taken()
  if (others.length === 0 && isAnswerable(stored, entry.timeMs)) return entry
  // What cannot be answered any more is not told.
  return { ...entry, event: 'support.unnotified', notice: { ...notice, failures: MAX_FAILURES } }
}

function isBefore(one: AuditRecord, other: AuditRecord): boolean {
  return (
    (one.requestedAt - other.requestedAt || (one.id < other.id ? -1 : 1)) < 0 && one.id !== other.id
  )
}

function isAnswerable(permit: AuditRecord, now: number): boolean {
  if (permit.kind !== 'approval') return true
  return permit.state === 'requested' && now < (permit.lapsesAt ?? now)
}
