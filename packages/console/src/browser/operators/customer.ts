import { useEffect } from 'preact/hooks'
import type { CustomerPageAnswer } from '../../api/console/answers.ts'
import { type Loading, useLoad } from '../session/load.tsx'
import type { Session } from '../session/session.ts'

/** Who acts as a customer can change without an event that this person may see. */
const ASK_EVERY = 10_000

/** A customer, and who acts as them now: kept up to date while the component is shown. */
export function useCustomer(session: Session, id: string): Loading<CustomerPageAnswer> {
  const loading = useLoad(
    (signal) => session.ask<CustomerPageAnswer>(`/customers/${encodeURIComponent(id)}`, { signal }),
    [id],
  )
  const { reload } = loading
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible') void reload()
    }
    const stop = session.onChange(ask)
    const timer = setInterval(ask, ASK_EVERY)
    document.addEventListener('visibilitychange', ask)
    return () => {
      stop()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [session, id])
  return loading
}
