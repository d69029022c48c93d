import { build } from 'esbuild'
import type { Middleware } from 'koa'

/** Addresses for the page of the shop. */
export interface ShopPage {
  readonly issuer: string
  /** The URL of the API, which is its resource indicator as well. */
  readonly api: string
}

const SCRIPT = `
import { acceptImpersonation, defineImpersonationBanner } from 'oidc-provider-impersonation-browser'
const { issuer, api } = document.body.dataset
const said = document.querySelector('output')
const say = (text) => { said.textContent = text }
try {
  const session = await acceptImpersonation({
    issuer, clientId: 'shop', redirectUri: location.origin + '/', resource: api,
    scope: 'orders:read orders:write',
  })
  if (!session) say('in person')
  else {
    defineImpersonationBanner()
    const banner = document.createElement('impersonation-banner')
    banner.session = session
    document.body.prepend(banner)
    say('acting as ' + session.userId)
    const ask = async (path, method) => {
      try {
        const { status } = await session.fetch(api + path, { method })
        say(method + ' ' + path + ' ' + status)
      } catch (error) {
        say(String(error.code ?? error))
      }
    }
    for (const button of document.querySelectorAll('button')) {
      button.disabled = false
      button.addEventListener('click', () => ask(button.dataset.path, button.dataset.method))
    }
    session.addEventListener('ended', () => say('ended'))
    session.addEventListener('expired', () => say('expired'))
  }
} catch (error) {
  say(String(error.code ?? error) + ': ' + error.message)
}
`

let script: Promise<string> | undefined

/** The script of the page with the browser kit, bundled at the first request. */
async function bundle() {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['oidc-provider-impersonation'],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** The customers' application: one page that accepts impersonations. Its origin is its own. */
export function shop(pageOf: () => ShopPage): Middleware {
  return async (ctx) => {
    if (ctx.path === '/shop.js') {
      script ??= bundle()
      ctx.type = 'text/javascript'
      ctx.body = await script
      return
    }
    const { issuer, api } = pageOf()
    ctx.set({
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    })
    ctx.type = 'html'
    ctx.body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="module" src="/shop.js"></script></head>
<body data-issuer="${issuer}" data-api="${api}">
<main><h1>Shop</h1><p><output></output></p>
<button disabled data-method="GET" data-path="">Look at orders</button>
<button disabled data-method="POST" data-path="/note">Change the note</button>
<button disabled data-method="PUT" data-path="/email">Change the address</button></main>
</body></html>`
  }
}
