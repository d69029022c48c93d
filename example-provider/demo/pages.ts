import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import Router from '@koa/router'
import type { Middleware } from 'koa'
import { type Person, people } from '../accounts.ts'
import { type Html, html } from './html.ts'
import { ASSETS_PATH, showPage } from './page.ts'
import { stories } from './stories.ts'
import { wordsFor } from './words/words.ts'

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
  router.get('/', (ctx) => {
    const { start } = wordsFor(ctx)
    const { places } = start
    showPage(
      ctx,
      start.title,
      html`<p>${start.about}</p>
${password && html`<p>${start.password(html`<code>${password}</code>`)}</p>`}
${password && stories(start)}
<h2>${start.more}</h2>
<ul>
<li><a href="/console">${places.console}</a></li>
<li><a href="${shopUrl}/">${places.shop}</a></li>
<li><a href="/account">${places.account}</a></li>
${password && html`<li><a href="/mail">${places.mail}</a></li>`}
<li><a href="/openapi.yaml">${places.openapi}</a></li>
</ul>
${
  password &&
  html`<h2>${start.people}</h2>
<ul>${whoByRole(start.roles)}</ul>
<p>${start.history(html`<code>npm start -- --with-history</code>`)} ${start.commands(html`<code>npm start -- --commands</code>`)}</p>`
}`,
    )
  })

  router.get('/support/callback', (ctx) => {
    const { signedIn, notSignedIn, close } = wordsFor(ctx)
    const { error } = ctx.query
    if (error === undefined) return showPage(ctx, signedIn, html`<p>${close}</p>`)
    const why = error === 'access_denied' ? notSignedIn.cancelled : notSignedIn.refused
    return showPage(ctx, notSignedIn.title, html`<p role="alert">${why}</p>`)
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

/** *operator: olivia, oscar* */
function whoByRole(roles: Record<Person['role'], string>): readonly Html[] {
  const byRole = Map.groupBy(people.all(), ({ role }) => role)
  return [...byRole].map(
    ([role, all]) => html`<li>${roles[role]}: ${all.map(({ id }) => id).join(', ')}</li>`,
  )
}
