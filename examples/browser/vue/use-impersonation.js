import { acceptImpersonation, defineImpersonationBanner } from 'oidc-provider-impersonation-browser'
import { shallowRef } from 'vue'

/** `session` of the operator who acts; `isOver` after its end; `error` with a message for the operator. */
const impersonation = shallowRef({ isReady: false })

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
  const show = () => {
    impersonation.value = { isReady: true, session, isOver: session?.state !== 'active' }
  }
  for (const type of ['ended', 'expired']) session?.addEventListener(type, show)
  show()
}

// Before a router reads the address.
accept().catch((error) => {
  impersonation.value = { isReady: true, error }
})

export const useImpersonation = () => impersonation
