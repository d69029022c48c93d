import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { people } from '../accounts.ts'
import { ASSETS_PATH, html, showPage } from './page.ts'

const ASSETS_FOLDER = join(import.meta.dirname, 'assets')
const OPENAPI_FILE = join(import.meta.dirname, '../../docs/openapi.yaml')
const CACHE_CONTROL = 'max-age=300'

/**
 * The front page, what pages load, the OpenAPI description, and the page that `support-web` would
 * have. The application with its own server is not part of this example.
 *
 * @param password the password of all accounts, if it is public
 */
export async function demoPages(
  shopUrl: string,
  password: string | undefined,
): Promise<readonly Middleware[]> {
  const router = new Router()
  // In production, the terminal prints no commands.
  const terminal =
    password &&
    html`<p>Everybody signs in with the password <code>${password}</code>:</p>
<ul>${people.all().map(({ id, role }) => html`<li>${id}: ${role}</li>`)}</ul>
<p><a href="/mail">Mail</a>: what customers are told, where no SMTP_URL is set.</p>
<p>The terminal shows the same as commands: npm start -- --commands.</p>`

  router.get('/', (ctx) => {
    showPage(
      ctx,
      'Impersonation, by example',
      html`<p>An OpenID provider with a support console, a support backend and an orders API, and a shop.</p>
<ul>
<li><a href="/console">Support console</a>: act as a customer, for a few minutes, for a reason; see who does, and who did.</li>
<li><a href="${shopUrl}/">Shop</a>: see your orders, as a customer.</li>
<li><a href="/account">Customer's account</a>: see who acted as you.</li>
<li><a href="/openapi.yaml">OpenAPI document</a>: the requests and answers, for programs.</li>
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

  for (const name of await readdir(ASSETS_FOLDER)) {
    const asset = await readFile(join(ASSETS_FOLDER, name))
    router.get(`${ASSETS_PATH}/${name}`, (ctx) => {
      ctx.set('Cache-Control', CACHE_CONTROL)
      ctx.type = extname(name)
      ctx.body = asset
    })
  }
  router.get('/openapi.yaml', async (ctx) => {
    ctx.set('Cache-Control', CACHE_CONTROL)
    // Koa adds a charset to `ctx.type`, and YAML has none (RFC 9512 §2.1).
    ctx.set('Content-Type', 'application/yaml')
    ctx.body = await readFile(OPENAPI_FILE)
  })

  // The router itself adds the context members that its type requires.
  return [router.routes() as Middleware]
}

function refusal(ctx: Context): string {
  return ctx.query.error === 'access_denied'
    ? 'The sign-in was cancelled.'
    : 'The provider did not let you in.'
}
