'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Asks the server for the page again, as long as somebody can see it. */
export function Look() {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh()
    }, 5000)
    return () => clearInterval(timer)
  }, [router])
  return null
}
