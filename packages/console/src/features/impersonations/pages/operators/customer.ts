import { useLive } from '../../../../web/session/live.ts'
import type { Loading } from '../../../../web/session/load.tsx'
import type { Session } from '../../../../web/session/session.ts'
import type { CustomerPageAnswer } from '../../server/customers.ts'

/** Who acts as a customer can change without an event that this person may see. */
const ASK_EVERY_MS = 10_000

/** A customer, and who acts as them now: kept up to date while the component is shown. */
export function useCustomer(session: Session, id: string): Loading<CustomerPageAnswer> {
  return useLive<CustomerPageAnswer>(session, `/customers/${encodeURIComponent(id)}`, {
    every: ASK_EVERY_MS,
    whileSeen: true,
  })
}
