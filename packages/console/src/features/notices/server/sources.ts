import {
  type AuditRecord,
  type AuditRow,
  isAnswer,
  isPermit,
  type PermitRecord,
  pendingNoticeOf,
} from 'oidc-provider-impersonation-verify/format'
import { findAsked, isTold } from '../../../ledger/asked.ts'
import {
  duePermits,
  dueRows,
  type OutboxSource,
  type Telling,
} from '../../../ledger/outbox/source.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { chooseTelling, rowsOfTicket } from './ticket.ts'
import type { Told } from './write-notice.ts'

/** Tells a customer. */
export type Tell = (id: string, told: Told, signal: AbortSignal) => Promise<unknown>

/** Of impersonations: what a customer is told of their tickets. */
export function ticketsToTell(store: Pick<AuditStore, 'find'>, tell: Tell): OutboxSource<AuditRow> {
  return {
    about: 'id',
    findDue: dueRows(store, 'customer'),
    async choose(row, now) {
      const telling = chooseTelling(row, await rowsOfTicket(store, row, now), now)
      if (telling?.is !== 'told') return telling && { ...telling, count: 1 }
      const { kind, is, rows } = telling
      return { ...{ kind, is, count: 1 }, tell: (id, signal) => tell(id, { kind, rows }, signal) }
    },
  }
}

/** Of permits: a request is told once a day. What cannot be answered any more is not told. */
export function permitsToTell(
  store: Pick<AuditStore, 'permits'>,
  tell: Tell,
): OutboxSource<AuditRecord> {
  return {
    about: 'permit',
    findDue: duePermits(store, 'customer'),
    async choose(permit, now): Promise<Telling | undefined> {
      const pending = pendingNoticeOf(permit)
      if (!pending || !(isAnswer(permit) || isPermit(permit))) return undefined
      const { kind } = pending
      if (permit.kind === 'approval') {
        if (now >= (permit.lapsesAt ?? now)) return { ...pending, is: 'dropped' }
        // Two processes can ask at once: the first request is told.
        const asked = await findAsked(store, { customer: permit.customer.id, now })
        const earlier = asked.filter((each) => isBefore(each, permit))
        if (earlier.some(isTold)) return { ...pending, is: 'joined' }
        if (earlier.length > 0) return undefined
      }
      return { ...pending, is: 'told', tell: (id, signal) => tell(id, { kind, permit }, signal) }
    },
  }
}

function isBefore(one: PermitRecord, other: PermitRecord): boolean {
  return (
    (one.requestedAt - other.requestedAt || (one.id < other.id ? -1 : 1)) < 0 && one.id !== other.id
  )
}
