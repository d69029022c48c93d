import { headers } from 'next/headers'
import { bannerHtml, type Impersonation } from 'oidc-provider-impersonation-browser/server'
import { impersonations } from '../lib/impersonations'
import { Look } from './look'

export default async function Page() {
  // First the headers: so Next.js knows that this page is different for each request.
  const request = { headers: await headers() }
  const acting = await impersonations().current(request)
  // Your customers have a session of their own here.
  if (!acting) return <main>Sign in.</main>
  const orders = acting.state === 'active' ? await loadOrders(acting) : []
  return (
    <>
      {/* Every value in it is escaped. */}
      <div dangerouslySetInnerHTML={{ __html: bannerHtml(acting) }} />
      {acting.state === 'active' && (
        <main>
          <h1>Orders</h1>
          {orders ? (
            <ul>
              {orders.map((order) => (
                <li key={order}>{order}</li>
              ))}
            </ul>
          ) : (
            <p role="alert">The orders cannot be read. Try again in a minute.</p>
          )}
          <Look />
        </main>
      )}
    </>
  )
}

/** Throws nothing: the banner stays, so that the operator can end it. */
async function loadOrders(acting: Impersonation): Promise<readonly string[] | undefined> {
  try {
    const answer = await acting.fetch(`${process.env.API}/orders`)
    // Now `acting.state` is no longer `active`.
    if (answer.status === 401) return undefined
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`)
    return await answer.json()
  } catch (error) {
    console.error('orders not read', error)
    return undefined
  }
}
