import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { AcknowledgeBody } from '../answers.ts'
import type { Session } from './session.ts'

/** Acknowledges the alarm of a row as it was shown: what came after that stays open. */
export async function acknowledge(
  session: Session,
  { id, alarm }: AuditRow,
  note: string,
): Promise<void> {
  const alarms = alarm?.count ?? 0
  const body = { alarms, ...(note !== '' && { note }) } satisfies AcknowledgeBody
  await session.ask(`/audit/${id}/acknowledge`, { method: 'POST', body })
  session.changed(id)
}
