/// <reference lib="dom" />
import type { ImpersonationSession } from 'oidc-provider-impersonation-browser'
import { ImpersonationBanner, useImpersonation } from 'oidc-provider-impersonation-browser/react'

export const shown = (
  <ImpersonationBanner
    userName="Alice Ng"
    changes={false}
    over={<a href="/">Back</a>}
    onEndFailed={(error) => console.error(error)}
  />
)
// @ts-expect-error a name is a text
export const wrong = <ImpersonationBanner userName={7} />
// @ts-expect-error there is no such property
export const unknown = <ImpersonationBanner customer="Alice Ng" />

export function show(session: ImpersonationSession): number | undefined {
  document.createElement('impersonation-banner').session = session
  return document.querySelector('impersonation-banner')?.userName?.length
}

export function Orders() {
  const impersonation = useImpersonation()
  if (impersonation.state === 'active') impersonation.session.fetch('/orders')
  else if (impersonation.state === 'failed') console.error(impersonation.error.message)
  // @ts-expect-error there may be no session
  return impersonation.session.id
}
