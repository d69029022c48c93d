import type { Middleware } from 'koa'
import { fill } from 'oidc-provider-impersonation-verify/format'
import { type Application, nameIn } from '../../../web/applications.ts'
import { languageOf } from '../../../web/http/language.ts'
import { showDocument } from '../../../web/page/document.ts'
import { html } from '../../../web/page/html.ts'
import type { PagesOptions } from '../../../web/page/pages.ts'

/**
 * `GET {path}/hand-over/{clientId}`: the form by which an application gets its subject token, on a page
 * of its own without any script. The page of the console that opened it puts the token in, which
 * browsers allow to pages of the same origin alone.
 */
export function handOverPages({
  path,
  applications,
  provider,
  languages,
  assets,
}: Omit<PagesOptions, 'clientId'> & { readonly applications: readonly Application[] }): Middleware {
  const issuer = new URL(provider.issuer).origin
  const byPath = new Map(
    applications
      .filter(({ handOver }) => handOver === 'form')
      .map((each) => [`${path}/hand-over/${encodeURIComponent(each.clientId)}`, each]),
  )
  return async (ctx, next) => {
    const application = byPath.get(ctx.path)
    if (!application || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    const { names } = await assets()
    const lang = languageOf(ctx, languages)
    const { handOver } = languages.wordsIn(lang).impersonations.operators
    const name = nameIn(application, lang)
    // Browsers compare redirects of a form, too: the application asks the issuer who is signed in.
    const targets = new Set([new URL(application.url).origin, issuer])
    showDocument(ctx, {
      ...{ path, lang, names, title: name },
      body: html`<main class="noscript"><p>${fill(handOver, { application: name })}</p></main>
<form method="post" action="${application.url}"><input type="hidden" name="impersonation"></form>`,
      allows: [`form-action ${[...targets].join(' ')}`],
      // Without a referrer, browsers send `Origin: null` with the form.
      referrer: 'strict-origin',
    })
  }
}
