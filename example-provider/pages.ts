import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { customerAccount } from './account/page.ts'
import { supportConsole } from './console/page.ts'
import { showApplication } from './http/application.ts'
import { sendHome } from './http/home.ts'
import { OPENAPI } from './http/openapi.ts'
import { html, showPage } from './http/page.ts'

export interface PagesOptions {
  /** The origin of all public URLs. */
  readonly baseUrl: string
  /** The password of all accounts, if it is public and the pages may show it. */
  readonly password: string | undefined
}

/** The front page, the support console, and the customer's account. */
export function pages({ baseUrl, password }: PagesOptions): Middleware {
  const router = new Router()
  const console = supportConsole(password)
  const account = customerAccount(password)
  // In production, the terminal prints no commands and the pages do not show the password.
  const terminal =
    password && html`<p>The terminal that started this shows the same as commands to paste.</p>`
  const home = sendHome(baseUrl)

  router.get('/', home, (ctx) => {
    showPage(
      ctx,
      'Impersonation, by example',
      html`<p>An OpenID provider, a support backend and an orders API, on one origin.</p>
<ul>
<li><a href="/console">Support console</a>: act as a customer, for a few minutes, for a reason.</li>
<li><a href="/account">Customer's account</a>: see who acted as you.</li>
<li><a href="${OPENAPI}">OpenAPI document</a>: the requests and answers, for programs.</li>
</ul>
${terminal}`,
    )
  })

  router.get('/console', home)
  router.get(['/console', '/console/callback'], (ctx) => {
    showApplication(ctx, console)
  })

  router.get('/account', home)
  router.get(['/account', '/account/callback'], (ctx) => {
    showApplication(ctx, account)
  })

  // The callback of the application with its own server, which is not part of this example.
  router.get('/support/callback', (ctx) => {
    if (ctx.query.error === undefined) {
      showPage(ctx, 'You are signed in', html`<p>You can close this page.</p>`)
    } else {
      showPage(ctx, 'Not signed in', html`<p role="alert">${refusal(ctx)}</p>`)
    }
  })

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

function refusal(ctx: Context): string {
  return ctx.query.error === 'access_denied'
    ? 'The sign-in was cancelled.'
    : 'The provider did not let you in.'
}
