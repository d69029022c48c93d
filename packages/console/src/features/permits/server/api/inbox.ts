import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import type { AuditRecord } from 'oidc-provider-impersonation-verify/format'
import { MAX_COUNTED } from '../../../../kernel/limits.ts'
import { readAll } from '../../../../kernel/pages.ts'
import { sharedRead } from '../../../../kernel/shared-read.ts'
import type { Approver } from '../../../../records/who.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { shownRow } from '../../../../web/rows.ts'
import { findRecords } from './read.ts'
import {
  findApprovers,
  isAwaited,
  mayOf,
  type PermitCall,
  recordFor,
  shownRecord,
  speakerIn,
} from './shown.ts'

/** Of how many records it is remembered who can decide. */
const MAX_REMEMBERED = 10_000
/** How long a stream waits for who may decide, in milliseconds. */
const MAX_WAIT_MS = 100
/** How many rows with an open alarm are read: those of one event with a record are left out. */
const MAX_ALARMS_READ = 2000

/** What waits for a word of the caller, and the rows with an alarm that no lead has acknowledged. */
export type Inbox = Awaited<ReturnType<typeof findInbox>>

/** Emergencies first, then objections. */
const ORDER = ['emergency', 'stop', 'approval', 'erasure']

/** Reads what waits for anybody, after the call. All who ask meanwhile share one read. */
function readWaiting(call: PermitCall) {
  const { audit, now } = call
  return sharedRead(audit.store, async () => {
    const notOverAt = now()
    const [found, open] = await Promise.all([
      Promise.all([
        findRecords(call, { isReviewDue: true }),
        findRecords(call, { state: 'stopped', notOverAt }),
        findRecords(call, { state: 'requested', notOverAt }),
      ]),
      readAll(
        (before) => audit.store.find({ alarm: 'open' }, { before, limit: 200, now: notOverAt }),
        ({ rows }) => rows,
        MAX_ALARMS_READ,
      ),
    ])
    const records = found.flat()
    const told = new Set(records.map(({ impersonation }) => impersonation))
    const alarms = open
      // An objection that waits as a record waits once.
      .filter(({ id, alarm }) => !(told.has(id) && alarm?.kinds.join() === 'objection'))
      .toSorted((a, b) => (b.alarm?.at ?? 0) - (a.alarm?.at ?? 0))
    return { records, alarms }
  })
}

const alarmsFor = ({ alarms }: Awaited<ReturnType<typeof readWaiting>>, { caller }: PermitCall) =>
  caller.role === 'lead' ? alarms.filter(({ operator }) => operator?.id !== caller.id) : []

/** Finds what waits for a word of the caller, the most urgent first. */
export async function findInbox(call: PermitCall) {
  const [waiting, erasures] = await Promise.all([readWaiting(call), call.erasures.find(call)])
  const shown = await Promise.all(waiting.records.map((each) => recordFor(call, each, askAndKeep)))
  return {
    records: [...shown, ...erasures]
      .flatMap((each) => (each && isAwaited(each, each.may) ? each : []))
      .toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .slice(0, MAX_COUNTED),
    alarms: alarmsFor(waiting, call)
      .slice(0, MAX_COUNTED)
      .map((row) => shownRow(row, call)),
  }
}

/** What the caller asked for, that is not over. */
export async function findOwn(call: PermitCall): Promise<readonly RecordAnswer[]> {
  const { caller, now } = call
  const found = await findRecords(call, { operator: caller.id, notOverAt: now() }, MAX_COUNTED)
  return found
    .filter(({ kind, state }) => kind !== 'stop' && state !== 'revoked')
    .map((each) => shownRecord(each, call, []))
}

/** Who can decide, as of when the inbox was read, and whom the deployment was asked about. */
interface Known {
  readonly approvers: BoundedMap<string, readonly Approver[] | undefined>
  readonly asking: Map<string, Promise<unknown>>
}

const knownOf = new WeakMap<object, Known>()

function knownIn({ audit }: PermitCall): Known {
  const found = knownOf.get(audit) ?? {
    approvers: new BoundedMap(MAX_REMEMBERED),
    asking: new Map(),
  }
  knownOf.set(audit, found)
  return found
}

async function askAndKeep(record: AuditRecord, call: PermitCall) {
  const approvers = await findApprovers(record, call)
  knownIn(call).approvers.set(record.id, approvers)
  return approvers
}

/**
 * Counts what waits for a word of the caller: at most one more than `MAX_COUNTED`. The deployment is asked once
 * for each record, and not at each change: who reads the inbox has it asked again.
 *
 * @param onLate called if the deployment takes longer to say who may decide: the count may be another one
 * once it did
 */
export async function countInbox(
  call: PermitCall,
  onLate: (answered: Promise<unknown>) => void = () => {},
): Promise<number> {
  const [waiting, erasures] = await Promise.all([readWaiting(call), call.erasures.find(call)])
  const { approvers, asking } = knownIn(call)
  const isOwn = (record: AuditRecord) =>
    isAwaited(record, mayOf(record, speakerIn(call, approvers.get(record.id)), call.now()))
  const asked = waiting.records
    .filter(({ id }) => !approvers.has(id))
    .map((each) => {
      const asks =
        asking.get(each.id) ??
        askAndKeep(each, call)
          .catch(() => {})
          .finally(() => asking.delete(each.id))
      asking.set(each.id, asks)
      return asks
    })
  if (asked.length > 0) {
    const all = Promise.all(asked)
    if (!(await endsWithin(MAX_WAIT_MS, all))) onLate(all)
  }
  const own = waiting.records.filter((each) => approvers.has(each.id) && isOwn(each))
  const toErase = erasures.filter((each) => isAwaited(each, each.may))
  const count = own.length + toErase.length + alarmsFor(waiting, call).length
  return Math.min(count, MAX_COUNTED + 1)
}
