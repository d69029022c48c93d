import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { recordNow } from '../../../web/audit.ts'
import { optionalNote, readBody, writtenText } from '../../../web/http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow } from '../../../web/rows.ts'

/** `POST /audit/:id/hold` */
export async function hold(call: Call): Promise<void> {
  const { note } = await readBody(call.ctx, { note: writtenText(MAX_NOTE_LENGTH) })
  const { id, hold: before } = await findRow(call)
  await recordNow(call, { event: 'support.held', id, note }, before?.at)
  // What is gone is not put on hold.
  const held = await orUnavailable('the audit cannot be read now', () => call.audit.store.row(id))
  if (!held) throw notFound('it was erased meanwhile')
  call.ctx.status = 204
}

/** `POST /audit/:id/release` */
export async function release(call: Call): Promise<void> {
  const { note } = await readBody(call.ctx, { note: optionalNote })
  const { id, hold: before } = await findRow(call)
  if (!before?.isHeld) throw new Problem(409, 'conflict', 'it is not on hold')
  await recordNow(call, { event: 'support.released', id, note }, before.at)
  call.ctx.status = 204
}
