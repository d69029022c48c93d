import {
  type AuditRecord,
  DAY_MS,
  isAnswer,
  isPermit,
  type NoticeKind,
  pendingNoticeOf,
  recordStateAt,
  type ToTell,
} from 'oidc-provider-impersonation-verify/format'
import { type Outbox, startOutbox } from '../../../ledger/outbox/outbox.ts'
import { permitSource, rowSource } from '../../../ledger/outbox/source.ts'
import { allRecords } from '../../../ledger/readable.ts'
import type { Audit } from '../../../ledger/recording/audit.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { NoticeSettings } from './notice.ts'
import { chooseTelling, rowsOfTicket } from './ticket.ts'
import { type NoticeParts, type ToldOf, writeNotice } from './write-notice.ts'

interface NoticesParts extends Omit<NoticeParts, 'notices' | 'store'> {
  readonly audit: Audit
  readonly notices: NoticeSettings | undefined
}

/** Begins to tell customers, where the deployment wants it. */
export function startNotices({ audit, notices, ...parts }: NoticesParts): Outbox | undefined {
  const { store } = audit
  if (!notices) return undefined
  const send: Tell = async (id, told, signal) => {
    const notice = await writeNotice(id, told, { ...parts, notices, store })
    if (!signal.aborted) await notices.send(notice, { signal })
  }
  return startOutbox({
    recorder: audit,
    to: 'customer',
    who: 'customers',
    atOnce: notices.atOnce,
    sources: [ticketsToTell(store, send), permitsToTell(store, send)],
  })
}

/** Makes the marks of each impersonation that starts. */
export function toldOfStarts(
  when: readonly NoticeKind[],
  digest: number,
): readonly ToTell[] | undefined {
  const kinds = when.filter((kind) => kind === 'started' || kind === 'ended')
  if (kinds.length === 0) return undefined
  return kinds.map((kind) => ({ to: 'customer', kind, after: digest }))
}

/** Tells a customer. */
type Tell = (id: string, told: ToldOf, signal: AbortSignal) => Promise<unknown>

/** Of impersonations: what a customer is told of their tickets. */
export function ticketsToTell(store: AuditStore, tell: Tell) {
  return rowSource(store, 'customer', async (row, now) => {
    const told = chooseTelling(row, await rowsOfTicket(store, row, now), now)
    return told && { ...told, count: 1, tell: (id, signal) => tell(id, told, signal) }
  })
}

/** Of permits: a request is told once a day. What cannot be answered any more is not told. */
export function permitsToTell(store: AuditStore, tell: Tell) {
  return permitSource(store, 'customer', async (permit, now) => {
    const pending = pendingNoticeOf(permit)
    if (!pending || !(isAnswer(permit) || isPermit(permit))) return undefined
    const { kind } = pending
    if (kind === 'asked') {
      if (!isAnswerable(permit, now)) return { ...pending, is: 'dropped' }
      const before = await askedBefore(store, permit, now)
      if (before.some(isTold)) return { ...pending, is: 'joined' }
      if (before.length > 0) return undefined
    }
    return { ...pending, is: 'told', tell: (id, signal) => tell(id, { kind, permit }, signal) }
  })
}

/** The requests of the last day before this one of which the customer was told, or is to be told. */
async function askedBefore(
  store: AuditStore,
  { id, customer, requestedAt }: AuditRecord,
  now: number,
): Promise<readonly AuditRecord[]> {
  const filter = { customer: customer?.id, from: now - DAY_MS, to: requestedAt + 1 }
  const all = await allRecords(store, filter)
  return all.filter((each) => {
    const isBefore = each.requestedAt < requestedAt || each.id < id
    const isToBeTold = pendingNoticeOf(each)?.kind === 'asked' && isAnswerable(each, now)
    return isBefore && (isToBeTold || (isTold(each) && each.kind === 'approval'))
  })
}

const isAnswerable = (permit: AuditRecord, now: number) =>
  recordStateAt(permit, now) === 'requested'

const isTold = ({ deliveries }: AuditRecord) => deliveries?.customer?.last?.is === 'told'
