import { randomBytes } from 'node:crypto'

/** From the form to the callback. */
export const BEGUN = '__Host-impersonation-begun'
/** While an operator acts, and for an hour after it. */
export const ACTING = '__Host-impersonation'

/** More are begun by nobody who works: the oldest is forgotten. */
const MAX_BEGUN = 1000
// In the memory of this process. Several processes share a store, such as Redis.
const stores = { [BEGUN]: new Map(), [ACTING]: new Map() }
const options = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' }

/** Keeps what the browser must not have. The browser gets a random id. */
export function keep(response, name, data, seconds) {
  const store = stores[name]
  for (const [id, { until }] of store) if (until <= Date.now()) store.delete(id)
  if (name === BEGUN && store.size >= MAX_BEGUN) store.delete(store.keys().next().value)
  const id = randomBytes(32).toString('base64url')
  store.set(id, { data, until: Date.now() + seconds * 1000 })
  response.cookie(name, id, { ...options, maxAge: seconds * 1000 })
}

/** What was kept for this browser, or `undefined`. `isOver` tells whether its time has passed. */
export function kept(request, name) {
  const { data, until } = stores[name].get(idIn(request, name)) ?? {}
  if (!data || until <= Date.now()) return undefined
  return { ...data, isOver: data.expiresAt <= Date.now() }
}

export function clear(request, response, name) {
  stores[name].delete(idIn(request, name))
  response.clearCookie(name, options)
}

function idIn(request, name) {
  const cookies = (request.get('cookie') ?? '').split('; ')
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}
