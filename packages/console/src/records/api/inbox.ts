import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { wholeNumber } from '../../kernel/input.ts'
import { MAX_COUNTED } from '../../kernel/limits.ts'
import { readAll } from '../../kernel/pages.ts'
import { sharedRead } from '../../kernel/shared-read.ts'
import { recordNow } from '../../web/audit.ts'
import { optionalNote } from '../../web/http/json-body.ts'
import { Problem } from '../../web/http/problem.ts'
import { orDigits } from '../../web/http/query.ts'
import type { WithBody } from '../../web/parts.ts'
import { findRow, shownRow } from '../../web/rows.ts'
import { speakerOf } from '../who.ts'
import { isAwaited, mayOf, type RecordCall, recordFor, shownRecord } from './shown.ts'

/** The time that a stream waits for who may decide, in milliseconds. */
const MAX_WAIT_MS = 100
/** The largest number of rows with an open alarm that are read: those of one event with a record are left out. */
const MAX_ALARMS_READ = 2000

/** All that waits for a word of the caller, and the rows with an alarm that no lead has acknowledged. */
export type Inbox = Awaited<ReturnType<typeof findInbox>>

/** Emergencies first, then objections. */
const ORDER = ['emergency', 'stop', 'approval', 'erasure']

/** Reads what waits for anybody, after the call. All who ask meanwhile share one read. */
function readWaiting({ audit, now, records }: RecordCall) {
  return sharedRead(audit.store, async () => {
    const notOverAt = now()
    const [open, ...found] = await Promise.all([
      readAll(
        (before) => audit.store.find({ alarm: 'open' }, { before, limit: 200, now: notOverAt }),
        ({ rows }) => rows,
        MAX_ALARMS_READ,
      ),
      records.list({ isReviewDue: true }),
      records.list({ state: 'stopped', notOverAt }),
      records.list({ state: 'requested', notOverAt }),
    ])
    const waiting = found.flat()
    const told = new Set(waiting.map(({ impersonation }) => impersonation))
    const alarms = open
      // An objection that waits as a record waits once.
      .filter(({ id, alarm }) => !(told.has(id) && alarm?.kinds.join() === 'objection'))
      .toSorted((a, b) => (b.alarm?.at ?? 0) - (a.alarm?.at ?? 0))
    return { waiting, alarms }
  })
}

/** Reads what waits, with the requests to erase and the alarms of the caller. */
async function readFor(call: RecordCall) {
  const { caller, erasures } = call
  const [{ waiting, alarms }, toErase] = await Promise.all([readWaiting(call), erasures.find(call)])
  const isLead = caller.role === 'lead'
  return {
    waiting,
    toErase: toErase.filter((each) => isAwaited(each, each.may)),
    alarms: alarms.filter(({ operator }) => isLead && operator?.id !== caller.id),
  }
}

/** Finds what waits for a word of the caller, the most urgent first. */
export async function findInbox(call: RecordCall) {
  const { waiting, toErase, alarms } = await readFor(call)
  const shown = await Promise.all(waiting.map((each) => recordFor(call, each)))
  return {
    records: [...shown, ...toErase]
      .flatMap((each) => (each && isAwaited(each, each.may) ? each : []))
      .toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .slice(0, MAX_COUNTED),
    alarms: alarms.slice(0, MAX_COUNTED).map((row) => shownRow(row, call)),
  }
}

/** Finds what the caller asked for, and what is not over. */
export async function findOwnRecords(call: RecordCall) {
  const { caller, now, records } = call
  const found = await records.list({ operator: caller.id, notOverAt: now() }, MAX_COUNTED)
  return found
    .filter(({ kind, state }) => kind !== 'stop' && state !== 'revoked')
    .map((each) => shownRecord(each, call))
}

/**
 * Counts what waits for a word of the caller: at most one more than `MAX_COUNTED`. The deployment is asked once
 * for each record, and not at each change: who reads the inbox has it asked again.
 *
 * @param onLate called if the deployment takes longer to say who may decide: the count may be another one
 * once it did
 */
export async function countInbox(
  call: RecordCall,
  onLate: (answered: Promise<unknown>) => void = () => {},
): Promise<number> {
  const { caller, now, records } = call
  const { waiting, toErase, alarms } = await readFor(call)
  let count = toErase.length + alarms.length
  const all = Promise.all(
    waiting.map(async (record) => {
      // If nobody can say it, it waits for others.
      const approvers = await records.who.knownApprovers(record).catch(() => [])
      const person = speakerOf(caller.id, caller.role === 'lead', approvers)
      if (isAwaited(record, mayOf(record, person, now()))) count += 1
    }),
  )
  if (!(await endsWithin(MAX_WAIT_MS, all))) onLate(all)
  return Math.min(count, MAX_COUNTED + 1)
}

export const ACKNOWLEDGEMENT = { note: optionalNote, alarms: orDigits(wholeNumber(1)) }

/** Acknowledges an alarm as the lead saw it: what came meanwhile stays open. */
export async function acknowledgeAlarm(call: WithBody<typeof ACKNOWLEDGEMENT>) {
  const { note, alarms } = call.body
  const { id, alarm, operator } = await findRow(call)
  if (operator?.id === call.caller.id) {
    throw new Problem(403, 'access_denied', 'another lead acknowledges what you did')
  }
  if (!alarm) throw new Problem(409, 'conflict', 'there is no alarm')
  const seen = Math.min(alarms, alarm.count)
  await recordNow(call, { event: 'support.acknowledged', id, note, alarms: seen })
}
