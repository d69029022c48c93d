import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { html, showPage } from '../../hosting/http/page.ts'
import { sendHome } from './home.ts'
import { loadOpenApi, OPENAPI } from './openapi.ts'

/**
 * The front page, the OpenAPI description, and the page that `support-web` would have. The
 * application with its own server is not part of this example.
 *
 * @param password the password of all accounts, if it is public
 */
export async function demoPages(
  baseUrl: string,
  password: string | undefined,
): Promise<readonly Middleware[]> {
  const router = new Router()
  const home = sendHome(baseUrl)
  // In production, the terminal prints no commands.
  const terminal =
    password && html`<p>The terminal shows the same as commands: npm start -- --commands.</p>`

  router.get(['/', '/console', '/account'], home)
  router.get('/', (ctx) => {
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

  router.get('/support/callback', (ctx) => {
    if (ctx.query.error === undefined) {
      showPage(ctx, 'You are signed in', html`<p>You can close this page.</p>`)
    } else {
      showPage(ctx, 'Not signed in', html`<p role="alert">${refusal(ctx)}</p>`)
    }
  })

  // The router itself adds the context members that its type requires.
  return [router.routes() as Middleware, await loadOpenApi()]
}

function refusal(ctx: Context): string {
  return ctx.query.error === 'access_denied'
    ? 'The sign-in was cancelled.'
    : 'The provider did not let you in.'
}
