import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  MAX_NOTE_LENGTH,
  urgencyOf,
} from 'oidc-provider-impersonation-verify/format'
import { parseOptionalText, parseTextMember, readBody } from '../../http/json-body.ts'
import { busy, invalid, Problem } from '../../http/problem.ts'
import { reading } from '../audit-trouble.ts'
import { isId } from '../ids.ts'
import type { Call } from '../parts.ts'
import type { AcknowledgeBody, AcknowledgedAnswer } from './answers.ts'
import { findRow } from './rows.ts'

/** Rows that are acknowledged together. */
const MAX_ACKNOWLEDGED = 100

/** `POST /alarms/acknowledge` */
export async function acknowledge(call: Call): Promise<void> {
  const body = await readBody(call.ctx, 'note', 'alarms')
  const note = parseOptionalText(body, 'note', MAX_NOTE_LENGTH)
  const seen = parseSeen(body.alarms)
  const { store } = call.audit
  const rows = await reading(() => Promise.all([...seen.keys()].map((id) => store.row(id))))
  const found = rows.filter((row) => row !== undefined)
  if (found.some(({ operator }) => operator?.id === call.caller.id)) {
    throw new Problem(403, 'access_denied', 'another lead acknowledges what you did')
  }
  const entries = found.flatMap(({ id, alarm }) => {
    const { count = 0, urgency = 0 } = seen.get(id) ?? {}
    if (!alarm) return []
    return {
      ...({ event: 'support.acknowledged', id, note } as const),
      alarms: Math.min(count, alarm.count),
      urgency: Math.min(urgency, urgencyOf(alarm)),
    }
  })
  if (entries.length === 0) throw new Problem(409, 'conflict', 'there is no alarm')
  await recordNow(call, entries)
  const acknowledged = new Set(entries.map(({ id }) => id))
  call.ctx.body = {
    missing: [...seen.keys()].filter((id) => !acknowledged.has(id)),
  } satisfies AcknowledgedAnswer
}

/** What a lead saw of each row, by its id. */
function parseSeen(alarms: unknown): ReadonlyMap<string, Seen> {
  const all: unknown[] = Array.isArray(alarms) ? alarms : []
  if (all.length < 1 || all.length > MAX_ACKNOWLEDGED || !all.every(isSeenRow)) {
    throw invalid(
      `alarms must be 1 to ${MAX_ACKNOWLEDGED} of { id, count, urgency }, with the numbers that were seen`,
    )
  }
  return new Map(all.map((seen) => [seen.id, seen]))
}

type Seen = AcknowledgeBody['alarms'][number]

function isSeenRow(value: unknown): value is Seen {
  if (typeof value !== 'object' || value === null) return false
  const { id, count, urgency }: { id?: unknown; count?: unknown; urgency?: unknown } = value
  return typeof id === 'string' && isId(id) && isCount(count, 1) && isCount(urgency, 0)
}

const isCount = (value: unknown, least: number) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least

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
  entries: Omit<AuditEntry, 'by' | 'time'> | readonly Omit<AuditEntry, 'by' | 'time'>[],
  after = 0,
): Promise<void> {
  const time = Math.max(now(), after + 1)
  const stored = Promise.all(
    [entries].flat().map((entry) => audit.recorder.record({ ...entry, time, by: caller.id })),
  )
  if (await endsWithin(settings.auditTimeout * 1000, stored)) return
  throw busy('the audit does not answer: what you did is stored as soon as it does')
}
