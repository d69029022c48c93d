import { endsWithin } from '#glue/time-limit'
import type { AuditEntry } from '../../audit/entry.ts'
import { parseOptionalText, parseTextMember, readBody } from '../../http/json-body.ts'
import { busy, invalid, Problem } from '../../http/problem.ts'
import type { Call } from '../parts.ts'
import { findRow } from './rows.ts'

const MAX_NOTE_LENGTH = 1000

/** `POST /audit/:id/acknowledge` */
export async function acknowledge(call: Call): Promise<void> {
  const body = await readBody(call.ctx, 'note', 'alarms')
  const note = parseOptionalText(body, 'note', MAX_NOTE_LENGTH)
  const { alarm, id } = await findRow(call)
  if (!alarm) throw new Problem(409, 'conflict', 'there is no alarm')
  const seen = body.alarms ?? alarm.count
  if (typeof seen !== 'number' || !Number.isSafeInteger(seen) || seen < 1) {
    throw invalid('alarms must be how many alarms were seen: 1 or more')
  }
  await recordNow(call, {
    ...{ event: 'support.acknowledged', id, note },
    alarms: Math.min(seen, alarm.count),
  })
  call.ctx.status = 204
}

/** `POST /audit/:id/hold` */
export async function hold(call: Call): Promise<void> {
  const note = parseTextMember(await readBody(call.ctx, 'note'), 'note', MAX_NOTE_LENGTH)
  const { id, hold: before } = await findRow(call)
  await recordNow(call, { event: 'support.held', id, note }, before?.at)
  call.ctx.status = 204
}

/** `POST /audit/:id/release` */
export async function release(call: Call): Promise<void> {
  const note = parseOptionalText(await readBody(call.ctx, 'note'), 'note', MAX_NOTE_LENGTH)
  const { id, hold: before } = await findRow(call)
  if (!before?.isHeld) throw new Problem(409, 'conflict', 'it is not on hold')
  await recordNow(call, { event: 'support.released', id, note }, before.at)
  call.ctx.status = 204
}

/**
 * Records what the caller does.
 *
 * @param after the time of what it comes after: the clock of another process may be ahead, and of a
 * hold and a release the later one counts
 * @throws Problem 503 where the entry is not stored in time: it waits in memory, and is stored later
 */
export async function recordNow(
  { audit, caller, now, settings }: Pick<Call, 'audit' | 'caller' | 'now' | 'settings'>,
  entry: Omit<AuditEntry, 'by' | 'time'>,
  after = 0,
): Promise<void> {
  const time = Math.max(now(), after + 1)
  const stored = audit.recorder.record({ ...entry, time, by: caller.id })
  if (await endsWithin(settings.auditTimeout * 1000, stored)) return
  throw busy('the audit does not answer: what you did is stored as soon as it does')
}
