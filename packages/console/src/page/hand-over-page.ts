import type { Middleware } from 'koa'
import { languageOf } from '../http/language.ts'
import type { Application } from '../options.ts'
import { nameIn } from '../settings.ts'
import { fill } from '../words/sentence.ts'
import { html } from './html.ts'
import { type PagesOptions, PROTECTIVE_HEADERS } from './pages.ts'

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
    ctx.set({
      ...PROTECTIVE_HEADERS,
      'Content-Security-Policy': policyFor(new URL(application.url).origin, issuer),
      // Without a referrer, browsers send `Origin: null` with the form.
      'Referrer-Policy': 'strict-origin',
    })
    ctx.vary('Accept-Language')
    ctx.type = 'html'
    ctx.body = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="stylesheet" href="${`${path}/assets/${names.get('style.css')}`}">
<link rel="icon" href="${`${path}/assets/${names.get('icon.svg')}`}">
</head>
<body>
<main class="noscript"><p>${fill(handOver, { application: name })}</p></main>
<form method="post" action="${application.url}"><input type="hidden" name="impersonation"></form>
</body>
</html>
`
  }
}

/** Browsers compare redirects of a form, too: the application asks the issuer who is signed in. */
function policyFor(application: string, issuer: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${[...new Set([application, issuer])].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';')
}
