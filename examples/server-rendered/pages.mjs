import { bannerHtml } from 'oidc-provider-impersonation-browser/server'
import { impersonations } from './impersonations.mjs'

const { API } = process.env

export async function orders(request) {
  const acting = await impersonations.current(request)
  // Customers have a session of the application's own here.
  if (!acting) return page(401, '<p role="alert">Sign in.</p>')
  if (acting.state === 'active') {
    const body = await readOrders(acting)
    // The API has refused the token if the impersonation was ended elsewhere.
    if (acting.state === 'active') {
      const banner = bannerHtml(acting, { changes: false })
      return body
        ? page(200, banner + body)
        : page(
            502,
            `${banner}<p role="alert">The orders cannot be read. Try again in a minute.</p>`,
          )
    }
  }
  return page(401, bannerHtml(acting), await impersonations.forget(request))
}

async function readOrders(acting) {
  try {
    const answer = await acting.fetch(`${API}/orders`, { signal: AbortSignal.timeout(5000) })
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`)
    const items = await answer.json()
    return `<h1>Orders</h1><ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`
  } catch (error) {
    console.error('orders not read', error.message)
  }
}

function page(status, body, headers = new Headers()) {
  headers.set('cache-control', 'no-store')
  headers.set(
    'content-security-policy',
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(`<!doctype html><html lang="en"><title>Shop</title><body>${body}`, {
    status,
    headers,
  })
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => ENTITIES[character])
