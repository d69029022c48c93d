import type { Context } from 'koa'
import { type Html, html } from './html.ts'
import { languageOf } from './words/words.ts'

/** The URL path of what the pages load. */
export const ASSETS_PATH = '/assets'

/** Answers with a page that submits the one form in it. */
export function showSubmitting(ctx: Context, title: string, form: Html): void {
  showPage(ctx, title, html`${form}<script type="module" src="${ASSETS_PATH}/submit.js"></script>`)
  const policy = ctx.response.get('Content-Security-Policy')
  const scripts = "script-src 'self';require-trusted-types-for 'script';trusted-types 'none'"
  ctx.set('Content-Security-Policy', policy.replace(/(?<=^|;)script-src(?=;|$)/, scripts))
}

/** Answers with a page, in the language of its words. Browsers do not store it. */
export function showPage(ctx: Context, title: string, content: Html): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.type = 'html'
  ctx.body = html`<!doctype html>
<html lang="${languageOf(ctx)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ASSETS_PATH}/icon.svg">
<link rel="stylesheet" href="${ASSETS_PATH}/page.css">
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.toString()
}
