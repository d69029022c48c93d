import {
  bannerHtml,
  createImpersonations,
  type Impersonation,
  type ImpersonationError,
  type ImpersonationsOptions,
} from 'oidc-provider-impersonation-browser/server'
import { holds, type Same } from './expect.js'

declare const options: ImpersonationsOptions
const impersonations = createImpersonations({
  ...options,
  respond: ({ code, text, status }) =>
    code === 'already_acting' ? Response.json({ text }, { status }) : new Response(text),
  onError: (error) => holds<Same<typeof error, ImpersonationError>>(),
})
// @ts-expect-error there is no store without functions
createImpersonations({ ...options, store: new Map().keys() })
// @ts-expect-error the back office has to be named
createImpersonations({ ...options, from: undefined })

holds<Same<typeof impersonations.accept, (request: Request) => Promise<Response>>>()

export async function page(headers: Headers): Promise<string> {
  const acting = await impersonations.current({ headers })
  holds<Same<typeof acting, Impersonation | undefined>>()
  if (!acting) return ''
  // @ts-expect-error the scope is read alone
  acting.scope.push('orders:write')
  // @ts-expect-error there is no such text
  bannerHtml(acting, { texts: { unknown: 'No.' } })
  const response = await acting.fetch(new URL('https://api.example.com/orders'), { method: 'PUT' })
  return bannerHtml(acting, { changes: false }) + (await response.text())
}

// @ts-expect-error this project knows no browser
export const known = document
