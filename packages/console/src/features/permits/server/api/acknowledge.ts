import { type Read, wholeNumber } from '../../../../kernel/input.ts'
import { recordNow } from '../../../../web/audit.ts'
import { optionalNote } from '../../../../web/http/json-body.ts'
import { Problem } from '../../../../web/http/problem.ts'
import { orDigits } from '../../../../web/http/query.ts'
import type { Call } from '../../../../web/parts.ts'
import { findRow } from '../../../../web/rows.ts'

export const ACKNOWLEDGEMENT = { note: optionalNote, alarms: orDigits(wholeNumber(1)) }

/** Acknowledges an alarm as the lead saw it: what came meanwhile stays open. */
export async function acknowledgeAlarm(
  call: Call & { readonly body: Read<typeof ACKNOWLEDGEMENT> },
): Promise<void> {
  const { note, alarms } = call.body
  const { id, alarm, operator } = await findRow(call)
  if (operator?.id === call.caller.id) {
    throw new Problem(403, 'access_denied', 'another lead acknowledges what you did')
  }
  if (!alarm) throw new Problem(409, 'conflict', 'there is no alarm')
  const seen = Math.min(alarms, alarm.count)
  await recordNow(call, { event: 'support.acknowledged', id, note, alarms: seen })
}
