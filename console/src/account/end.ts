import { settle } from '../api/audit-trouble.ts'
import { waitForRoom } from '../api/router.ts'
import { readBody } from '../http/json-body.ts'
import { Problem, unavailable } from '../http/problem.ts'
import { type AccountCall, idIn, notYours } from './call.ts'

/** `POST /end` */
export async function endOne(call: AccountCall): Promise<void> {
  const { ctx, caller, provider, audit } = call
  const body = await readBody(ctx, 'id')
  const id = idIn(body.id)
  await waitForRoom(call)
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
