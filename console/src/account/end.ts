import { settle } from '../api/audit-trouble.ts'
import { readBody } from '../http/json-body.ts'
import { Problem, unavailable } from '../http/problem.ts'
import { type AccountCall, idIn, notYours } from './call.ts'

/** How long an end waits for room in the audit, in milliseconds. */
const ROOM_TIMEOUT_MS = 2000

/** `POST /end` */
export async function endOne(call: AccountCall): Promise<void> {
  const { ctx, caller, provider, audit } = call
  const body = await readBody(ctx, 'id')
  const id = idIn(body.id)
  // It goes on without room, too: what runs must be stoppable, and its event waits in memory.
  await audit.recorder.room.wait(ROOM_TIMEOUT_MS)
  try {
    const found = await provider.impersonation.get(id)
    if (found?.userId !== caller.id) throw notYours()
    await provider.impersonation.end(id, { by: { sub: caller.id }, cause: 'user' })
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw unavailable('the provider cannot end it now: try again', cause)
  }
  await settle(audit)
  ctx.status = 204
}
