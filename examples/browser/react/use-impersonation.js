import { acceptImpersonation, defineImpersonationBanner } from 'oidc-provider-impersonation-browser'
import { useEffect, useState } from 'react'

async function accept() {
  const session = await acceptImpersonation({
    issuer: 'https://id.example.com/oidc',
    clientId: 'shop',
    redirectUri: 'https://shop.example.com/',
    resource: 'https://api.example.com/orders',
    scope: 'orders:read',
  })
  try {
    if (session) await defineImpersonationBanner()
  } catch (error) {
    // Without the banner, the operator does not see as whom the page acts.
    await session.end()
    throw error
  }
  return { session }
}

// Before a router reads the address.
const outcome = accept().catch((error) => ({ error }))

/** `session` of the operator who acts; `isOver` after its end; `error` with a message for the operator. */
export function useImpersonation() {
  const [impersonation, setImpersonation] = useState({ isReady: false })
  useEffect(() => {
    const mounted = new AbortController()
    const { signal } = mounted
    void outcome.then(({ session, error }) => {
      if (signal.aborted) return
      const show = () =>
        setImpersonation({ isReady: true, session, error, isOver: session?.state !== 'active' })
      for (const type of ['ended', 'expired']) session?.addEventListener(type, show, { signal })
      show()
    })
    return () => mounted.abort()
  }, [])
  return impersonation
}
