import type { Context } from 'koa'
import { type BrandSettings, imageSources } from '../brand.ts'
import { html } from './html.ts'

/** A page, beside what every page has. */
export interface PageParts {
  readonly path: string
  /** A BCP 47 tag. */
  readonly lang: string
  readonly title: string
  readonly brand?: BrandSettings | undefined
  /** The name of an asset under which browsers keep it. */
  readonly names: ReadonlyMap<string, string>
  /** The name of its script. Without it, there is none. */
  readonly script?: string
  /** Attributes of its body, and what is in it: markup. */
  readonly attributes?: string
  readonly body: string
  /** What it may do beside showing itself, as directives of its content policy. */
  readonly allows: readonly string[]
  readonly referrer: 'no-referrer' | 'strict-origin'
}

/** Answers with a page: nothing inline in it, no foreign HTML, and no frame around it. */
export function showDocument(ctx: Context, parts: PageParts): void {
  const { path, lang, title, brand, names, script, attributes = '', body, allows, referrer } = parts
  const assetUrl = (name: string) => `${path}/assets/${names.get(name)}`
  const styles = ['style.css', 'brand.css'].filter((name) => names.has(name))
  const links = styles.map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}">\n`)
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src ${imageSources(brand)}`,
      ...allows,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join(';'),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': referrer,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  })
  ctx.vary('Accept-Language')
  ctx.type = 'html'
  ctx.body = `${html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
`}${links.join('')}${script === undefined ? '' : html`<script type="module" src="${assetUrl(script)}"></script>\n`}${html`<link rel="icon" href="${assetUrl('icon.svg')}">`}
</head>
<body${attributes}>
${body}
</body>
</html>
`
}
