const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => ENTITIES[character])
/** Characters that change the direction of the text around them are left out. */
const named = (text) => `<bdi>${escaped(text).replace(/[\u202A-\u202E\u2066-\u2069]/g, '')}</bdi>`

export function page(response, status, body) {
  response.status(status).set({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
  })
  response.send(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Shop</title><body>${body}</body></html>`)
}

export function say(response, status, text, acting) {
  page(
    response,
    status,
    `${acting ? banner(acting) : ''}<main><p role="alert">${escaped(text)}</p></main>`,
  )
}

export function list(response, acting, items) {
  const rows = items.map((item) => `<li>${escaped(item)}</li>`).join('')
  page(response, 200, `${banner(acting)}<main><h1>Orders</h1><ul>${rows}</ul></main>`)
}

function banner({ actor, userId, ticket, expiresAt, csrf }) {
  const until = new Date(expiresAt).toISOString()
  return `<aside aria-label="Impersonation">
<p>${named(actor)} acts as ${named(userId)}${ticket ? `, ticket ${named(ticket)}` : ''},
until <time datetime="${until}">${until.slice(11, 16)} UTC</time>. Look only.</p>
<form method="post" action="/impersonation/end">
<input type="hidden" name="csrf" value="${escaped(csrf)}"><button>End</button></form>
</aside>`
}
