import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../kernel/input.ts'
import { recordNow } from '../../../web/audit.ts'
import { optionalNote, writtenText } from '../../../web/http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import { findRow } from '../../../web/rows.ts'

export const HOLD = { note: writtenText(MAX_NOTE_LENGTH) }
export const RELEASE = { note: optionalNote }

export async function hold(call: Call & { readonly body: Read<typeof HOLD> }): Promise<void> {
  const { id, hold: before } = await findRow(call)
  await recordNow(call, { event: 'support.held', id, note: call.body.note }, before?.at)
  // What is gone is not put on hold.
  const held = await orUnavailable('the audit cannot be read now', () => call.audit.store.row(id))
  if (!held) throw notFound('it was erased meanwhile')
}

export async function release(call: Call & { readonly body: Read<typeof RELEASE> }): Promise<void> {
  const { id, hold: before } = await findRow(call)
  if (!before?.isHeld) throw new Problem(409, 'conflict', 'it is not on hold')
  await recordNow(call, { event: 'support.released', id, note: call.body.note }, before.at)
}
