import { headers } from 'next/headers'
import { impersonations } from '../lib/impersonations'
import { Banner } from './banner'

export default async function Page() {
  const acting = await impersonations().current({ headers: await headers() })
  // Your customers have a session of their own here.
  if (!acting) return <main>Sign in.</main>
  const orders = acting.state === 'active' ? await loadOrders(acting.accessToken) : undefined
  if (!orders) {
    return <main role="alert">Acting is over. Start again from the support console.</main>
  }
  return (
    <>
      <Banner {...acting.banner} />
      <main>
        <h1>Orders</h1>
        <ul>
          {orders.map((order) => (
            <li key={order}>{order}</li>
          ))}
        </ul>
      </main>
    </>
  )
}

/** The orders of the customer, or nothing if the impersonation was ended elsewhere. */
async function loadOrders(accessToken: string): Promise<readonly string[] | undefined> {
  const answer = await fetch(`${process.env.API}/orders`, {
    headers: { authorization: `Bearer ${accessToken}` },
    cache: 'no-store',
  })
  if (answer.status === 401) return undefined
  if (!answer.ok) throw new Error(`the API answered ${answer.status}`)
  return answer.json()
}
