import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useImpersonation } from './use-impersonation.js'

function Shop() {
  const { isReady, session, isOver, error } = useImpersonation()
  if (!isReady) return <p>One moment.</p>
  if (error) return <p role="alert">{error.message}</p>
  if (!session) return <p>Sign in to see your orders.</p>
  return (
    <>
      <impersonation-banner session={session} />
      {!isOver && <Orders session={session} />}
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
