import {
  bannerHtml,
  createImpersonations,
  type Impersonation,
  type ImpersonationError,
  type ImpersonationStore,
  type ImpersonationsOptions,
  memoryStore,
} from 'oidc-provider-impersonation-browser/server'
import { holds, type Same } from './expect.js'

const values = new Map<string, string>()
const store: ImpersonationStore = {
  get: async (id) => values.get(id),
  set: async (id, value) => values.set(id, value),
  delete: async (id) => values.delete(id),
}

const options: ImpersonationsOptions = {
  issuer: 'https://id.example.com/oidc',
  clientId: 'shop',
  clientSecret: 'secret',
  redirectUri: 'https://shop.example.com/impersonation',
  resource: 'https://api.example.com/orders',
  scope: 'orders:read',
  from: ['https://support.example.com'],
  store,
}
const impersonations = createImpersonations({
  ...options,
  respond: ({ code, text, status }) =>
    code === 'already_acting' ? Response.json({ text }, { status }) : new Response(text),
  onError: (error) => holds<Same<typeof error, ImpersonationError>>(),
})
createImpersonations({ ...options, store: memoryStore() })
// @ts-expect-error there is no store without functions
createImpersonations({ ...options, store: values.keys() })
// @ts-expect-error the back office has to be named
createImpersonations({ ...options, from: undefined })

export const GET: (request: Request) => Promise<Response> = impersonations.accept
export const POST: (request: Request) => Promise<Response> = impersonations.accept

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

export async function signOut(request: Request): Promise<Response> {
  return new Response(null, { status: 204, headers: await impersonations.forget(request) })
}

// @ts-expect-error this project knows no browser
export const known = document
