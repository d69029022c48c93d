import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { authorizationUrl, codeExchange } from '../commands.ts'
import { type Html, html, showPage } from '../http/page.ts'

export interface ConsoleOptions {
  readonly baseUrl: string
  /** Whether to help along with what is fit for a demonstration alone. */
  readonly demonstration: boolean
}

/** Where people land: the front page, and the pages that an operator comes back to. */
export function consolePages({ baseUrl, demonstration }: ConsoleOptions): Middleware {
  const router = new Router()

  router.get('/', (ctx) => {
    const signIn = html`<p><a href="${authorizationUrl(baseUrl)}">Sign in to the support console</a>
as <b>olivia</b>, who works in support.</p>`
    showPage(
      ctx,
      'Impersonation, by example',
      html`<p>An OpenID provider, a support backend and an orders API, on one origin.
The terminal that started them shows the way through, as commands to paste.</p>
${demonstration ? signIn : undefined}`,
    )
  })

  for (const path of ['/console/callback', '/support/callback']) {
    router.get(path, (ctx) => {
      if (ctx.query.error !== undefined) {
        showPage(ctx, 'Not signed in', html`<p role="alert">${refusal(ctx)}</p>`)
        return
      }
      const code = authorizationCode(ctx)
      if (code === undefined) {
        showPage(ctx, 'Nothing here yet', html`<p>This page is where a sign-in ends.</p>`)
        return
      }
      showPage(ctx, 'You are signed in', path === '/console/callback' ? next(code) : html``)
    })
  }

  function next(code: string): Html {
    if (!demonstration) return html`<p>You can close this page.</p>`
    return html`<p>Within a minute, paste this into the terminal, and you have your access token:</p>
<pre>${codeExchange(baseUrl, code)}</pre>
<p>Then go on with step 1 of the commands that the start of the example has printed: ask the support
backend to act as alice.</p>`
  }

  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware
}

function refusal(ctx: Context): string {
  return ctx.query.error === 'access_denied'
    ? 'The sign-in was cancelled.'
    : 'The provider did not let you in.'
}

/** Only what is safe to paste: the address may have been made up by somebody else. */
function authorizationCode(ctx: Context): string | undefined {
  const { code } = ctx.query
  return typeof code === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(code) ? code : undefined
}
