import { readBody } from '../../http/json-body.ts'
import { orUnavailable } from '../../http/problem.ts'
import { type AccountCall, idIn, notYours } from './call.ts'

/** `POST /end`. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endOne(call: AccountCall): Promise<void> {
  const { ctx, caller, provider } = call
  const body = await readBody(ctx, 'id')
  const id = idIn(body.id)
  await orUnavailable('the provider cannot end it now: try again', async () => {
    const found = await provider.impersonation.get(id)
    if (found?.userId !== caller.id) throw notYours()
    await provider.impersonation.end(id, { by: { sub: caller.id }, cause: 'user' })
  })
  ctx.status = 204
}
