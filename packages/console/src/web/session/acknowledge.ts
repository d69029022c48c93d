import { type AuditRow, urgencyOf } from 'oidc-provider-impersonation-verify/format'
import type { AcknowledgeBody, AcknowledgedAnswer } from '../answers.ts'
import type { Session } from './session.ts'

/** Acknowledges the alarms of rows as they were shown: what came after that stays open. */
export async function acknowledge(
  session: Session,
  rows: readonly AuditRow[],
  note: string,
): Promise<AcknowledgedAnswer> {
  const body = {
    ...(note === '' ? {} : { note }),
    alarms: rows.flatMap(({ id, alarm }) =>
      alarm ? { id, count: alarm.count, urgency: urgencyOf(alarm) } : [],
    ),
  } satisfies AcknowledgeBody
  const answer = await session.ask<AcknowledgedAnswer>('/alarms/acknowledge', {
    method: 'POST',
    body,
  })
  for (const { id } of rows) session.changed(id)
  return answer
}
