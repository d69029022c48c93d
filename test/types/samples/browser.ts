/// <reference lib="dom" />
import {
  type AcceptImpersonationOptions,
  acceptImpersonation,
  ImpersonationError,
  type ImpersonationErrorCode,
  type ImpersonationSession,
  impersonationUrl,
} from 'oidc-provider-impersonation-browser'
import { holds, type Same } from './expect.js'

declare const options: AcceptImpersonationOptions
acceptImpersonation({ ...options, cover: { next: 'Close this tab.' } })
// @ts-expect-error there is no such text of the cover
acceptImpersonation({ ...options, cover: { unknownText: 'No.' } })
// @ts-expect-error the API has to be said
acceptImpersonation({ ...options, resource: undefined })

export async function act() {
  const session = await acceptImpersonation(options)
  holds<Same<typeof session, ImpersonationSession | undefined>>()
  if (!session) return
  session.addEventListener('expiring', (event) => holds<Same<typeof event, Event>>())
  // @ts-expect-error there is no such event
  session.addEventListener('end', () => {})
  // @ts-expect-error the scope is read alone
  session.scope.push('orders:write')
  // @ts-expect-error claims are not verified, and may be anything
  session.context.ticket.id
  const response = await session.fetch(new URL('https://api.example.com/orders'), { body: 'x' })
  holds<Same<typeof response, Response>>()
}

const link = impersonationUrl('https://shop.example.com/', { subjectToken: 'x', actor: undefined })
holds<Same<typeof link, string>>()
// @ts-expect-error without a subject token it is no link
impersonationUrl('https://shop.example.com/', { actor: 'olivia' })

export function told(error: unknown) {
  if (!(error instanceof ImpersonationError)) return
  holds<Same<typeof error.code, ImpersonationErrorCode>>()
  // @ts-expect-error there is no such code
  return error.code === 'unknown'
}
