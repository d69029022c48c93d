import { wholeNumber } from '../../../kernel/input.ts'
import { recordNow } from '../../../web/audit.ts'
import { optionalNote, readBody } from '../../../web/http/json-body.ts'
import { Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow } from '../../../web/rows.ts'

/** `POST /audit/:id/acknowledge` */
export async function acknowledgeAlarm(call: Call): Promise<void> {
  const { note, alarms } = await readBody(call.ctx, {
    note: optionalNote,
    alarms: wholeNumber(1),
  })
  const { id, alarm, operator } = await findRow(call)
  if (operator?.id === call.caller.id) {
    throw new Problem(403, 'access_denied', 'another lead acknowledges what you did')
  }
  if (!alarm) throw new Problem(409, 'conflict', 'there is no alarm')
  const seen = Math.min(alarms, alarm.count)
  await recordNow(call, { event: 'support.acknowledged', id, note, alarms: seen })
  call.ctx.status = 204
}
