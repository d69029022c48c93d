'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import type { ServerBanner } from 'oidc-provider-impersonation-browser/server'

/** Says who acts as whom, and looks every five seconds whether it has ended elsewhere. */
export function Banner({ userId, actor, ticket, expiresAt }: ServerBanner) {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh()
    }, 5000)
    return () => clearInterval(timer)
  }, [router])
  const until = new Date(expiresAt).toISOString()
  return (
    <aside aria-label="Impersonation">
      <bdi>{actor}</bdi> acts as <bdi>{userId}</bdi>
      {ticket && `, ticket ${ticket}`}, until <time dateTime={until}>{until.slice(11, 16)} UTC</time>.
      <form method="post" action="/impersonation/end">
        <button>End</button>
      </form>
    </aside>
  )
}
