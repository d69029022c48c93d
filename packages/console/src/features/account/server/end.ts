import type { Read } from '../../../kernel/input.ts'
import { orUnavailable } from '../../../web/http/problem.ts'
import { notYours, type OWN_ID, ownId } from '../../../web/own-id.ts'
import type { CustomerCall } from '../../../web/parts.ts'

/** Ends one. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
export async function endOwn({
  body,
  caller,
  provider,
}: CustomerCall & { readonly body: Read<typeof OWN_ID> }): Promise<void> {
  const id = ownId(body.id)
  await orUnavailable('the provider cannot end it now: try again', async () => {
    const found = await provider.impersonation.get(id)
    if (found?.userId !== caller.id) throw notYours()
    await provider.impersonation.end(id, { by: { sub: caller.id }, cause: 'user' })
  })
}
