import './impersonation.js'
import { ImpersonationBanner, useImpersonation } from 'oidc-provider-impersonation-browser/react'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

function Shop() {
  const { state, session, error } = useImpersonation()
  if (state === 'starting') return <p>One moment.</p>
  if (state === 'failed') return <p role="alert">{error.message}</p>
  if (state === 'none') return <p>Sign in to see your orders.</p>
  return (
    <>
      <ImpersonationBanner />
      {state === 'active' && <Orders session={session} />}
    </>
  )
}

function Orders({ session }) {
  const [orders, setOrders] = useState('')
  useEffect(() => {
    session
      .fetch('https://api.example.com/orders')
      .then((response) => response.text())
      .then(setOrders, (error) => setOrders(error.message))
  }, [session])
  return <pre>{orders}</pre>
}

createRoot(document.querySelector('#shop')).render(
  <StrictMode>
    <Shop />
  </StrictMode>,
)
