import type { CustomerRecordCall } from '../../../records/api/shown.ts'
import { orUnavailable } from '../../../web/http/problem.ts'
import type { At } from '../../../web/kit/at.ts'
import { notYours, OWN_ID, ownId } from '../../../web/own-id.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { CustomerCall, WithBody } from '../../../web/parts.ts'
import { accountPage } from '../views/account-page.tsx'
import { OWN, showAccount } from './lists.ts'

const { action, page } = linesFor<CustomerRecordCall, At>()

/** The page on which customers see who acted as them. */
export const ACCOUNT_PAGES = [
  page('', [], OWN, showAccount, accountPage),
  action('/end', [], OWN_ID, endOwn, { says: 'endedByCustomer' }),
]

/** Ends one. An end is recorded (I13): it is carried out in any case, and waits for its entry. */
async function endOwn({
  body,
  caller,
  provider,
}: WithBody<typeof OWN_ID, CustomerCall>): Promise<void> {
  const id = ownId(body.id)
  await orUnavailable('the provider cannot end it now: try again', async () => {
    const found = await provider.impersonation.get(id)
    if (found?.userId !== caller.id) throw notYours()
    await provider.impersonation.end(id, { by: { sub: caller.id }, cause: 'user' })
  })
}
