import { urgencyOf } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { isId } from '../../../kernel/ids.ts'
import { objectOf, text, wholeNumber } from '../../../kernel/input.ts'
import type { AcknowledgedAnswer } from '../../../web/answers.ts'
import { recordNow } from '../../../web/audit.ts'
import { optionalNote, readBody } from '../../../web/http/json-body.ts'
import { Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'

/** Rows that are acknowledged together. */
const MAX_ACKNOWLEDGED = 100
const ALARMS = `must be 1 to ${MAX_ACKNOWLEDGED} of { id, count, urgency }, with the numbers that were seen`

/** What a lead saw of each row. */
const SEEN = v.pipe(
  v.array(
    objectOf({
      id: v.pipe(text(43, 43), v.check(isId, 'must be the id of an impersonation')),
      count: wholeNumber(1),
      urgency: wholeNumber(0),
    }),
    ALARMS,
  ),
  v.check(({ length }) => length >= 1 && length <= MAX_ACKNOWLEDGED, ALARMS),
)

/** `POST /alarms/acknowledge` */
export async function acknowledgeAlarms(call: Call): Promise<void> {
  const { note, alarms } = await readBody(call.ctx, { note: optionalNote, alarms: SEEN })
  const seen = new Map(alarms.map((each) => [each.id, each]))
  const { store } = call.audit
  const rows = await Promise.all([...seen.keys()].map((id) => store.row(id)))
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
