import { createHash } from 'node:crypto'
import type { Context } from 'koa'

/** Markup in which every value has been escaped. Only {@link html} makes it. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

type Value = string | number | Html | readonly Html[] | undefined

/** A template in which every value is escaped, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(markupOf)))
}

function markupOf(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
label { display: block; margin: .75rem 0 .25rem }
input { font: inherit; padding: .4rem .6rem; width: 100%; max-width: 20rem; box-sizing: border-box }
button { font: inherit; margin: 1rem .5rem 0 0; padding: .4rem 1.2rem }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #8888; border-radius: .4rem }
[role=alert] { border-left: .3rem solid #c33; padding-left: .8rem }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * `script-src` without a source allows none, and gives oidc-provider the place to name the one
 * script of its self-submitting form. `form-action` also holds for the redirects that follow a
 * form, so every redirect URI is expected on this origin.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  'script-src',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';')

/** Answers with a page of the example's own, never to be stored. */
export function showPage(ctx: Context, title: string, content: Html): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.type = 'html'
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
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
