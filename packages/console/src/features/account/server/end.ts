import * as v from 'valibot'
import { readBody } from '../../../web/http/json-body.ts'
import { orUnavailable } from '../../../web/http/problem.ts'
import { notYours, ownId } from '../../../web/own-id.ts'
import type { CustomerCall } from '../../../web/parts.ts'

/** `POST /end`. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endOwn(call: CustomerCall): Promise<void> {
  const { ctx, caller, provider } = call
  const { id: given } = await readBody(ctx, { id: v.string('must be a text') })
  const id = ownId(given)
  await orUnavailable('the provider cannot end it now: try again', async () => {
    const found = await provider.impersonation.get(id)
    if (found?.userId !== caller.id) throw notYours()
    await provider.impersonation.end(id, { by: { sub: caller.id }, cause: 'user' })
  })
  ctx.status = 204
}
