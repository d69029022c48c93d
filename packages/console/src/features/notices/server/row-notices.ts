import {
  type AuditEntry,
  type AuditRow,
  type NoticeKind,
  pendingKindsIn,
} from 'oidc-provider-impersonation-verify/format'
import { nextTry, type OutboxSource, triedOutcome } from '../../../ledger/outbox/source.ts'
import type { Recorder } from '../../../ledger/recording/recorder.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { chooseTelling } from './one-ticket.ts'

/** So many impersonations for one ticket are read: the newest. */
const MAX_READ = 100

/** What is told of impersonations. */
export type TellOfRows = (
  row: AuditRow,
  /** Those of which it tells as well. */
  others: readonly AuditRow[],
  kinds: readonly NoticeKind[],
  signal: AbortSignal,
) => Promise<unknown>

/** Of impersonations: their rows have what is due. */
export function rowNotices(
  store: Pick<AuditStore, 'find' | 'row'>,
  recorder: Pick<Recorder, 'record' | 'recordMissing'>,
  tell: TellOfRows,
): OutboxSource {
  const aboutOf = ({ id, customer }: AuditRow) => ({ id, userId: customer?.id })

  /** The others of the same operator and customer for the same ticket. */
  async function readOthers({ id, customer, operator, ticket }: AuditRow, now: number) {
    if (!customer || !operator || ticket === undefined) return []
    const filter = { customer: customer.id, operator: operator.id, ticket }
    const { rows } = await store.find(filter, { limit: MAX_READ, now })
    return rows.filter(
      (other) =>
        other.id !== id && other.customer?.id === customer.id && other.operator?.id === operator.id,
    )
  }

  async function begin(row: AuditRow, time: number) {
    const telling = chooseTelling(row, await readOthers(row, time), time)
    if (!telling) return undefined
    const tried = nextTry(row.notice?.last, telling.kinds)
    const base = { timeMs: time, ...aboutOf(row) }
    if (telling.is === 'joined') {
      const notice = { ...tried, ...(telling.until && { until: telling.until }) }
      await recorder.recordMissing({ ...base, event: 'support.joined', notice })
      return undefined
    }
    const begun: AuditEntry = { ...base, event: 'support.notifying', notice: tried }
    if (!(await recorder.recordMissing(begun))) return undefined
    const { with: others, kinds } = telling
    return {
      tell: (signal: AbortSignal) => tell(row, others, kinds, signal),
      async finish(isTold: boolean, timeMs: number) {
        // Those that are told with it come first: after a crash, the whole is told again.
        for (const other of isTold ? others : []) {
          const left = pendingKindsIn(other.notice).filter((kind) => kinds.includes(kind))
          const outcome = triedOutcome(nextTry(other.notice?.last, left), true)
          if (left.length > 0) await recordIfThere(other, { timeMs, ...outcome })
        }
        await recordIfThere(row, { timeMs, ...triedOutcome(tried, isTold) })
      },
    }
  }

  /** What was erased meanwhile, or removed, is not made again by an entry that names the customer. */
  async function recordIfThere(row: AuditRow, entry: AuditEntry) {
    if (await store.row(row.id)) await recorder.record({ ...entry, ...aboutOf(row) })
  }

  return {
    async findDue(now, limit) {
      const { rows } = await store.find({ noticeDueBefore: now }, { limit, now, oldestFirst: true })
      return rows.map((row) => ({ id: row.id, begin: (time) => begin(row, time) }))
    },
  }
}
