import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { languageOf } from '../http/language.ts'
import type { Languages } from '../words/languages.ts'
import type { Words } from '../words/words.ts'
import { type Assets, showAsset } from './assets.ts'
import { html } from './html.ts'

export interface PagesOptions {
  /** Where the page is: `/console`. */
  readonly path: string
  /** The public client of the page. */
  readonly clientId: string
  readonly provider: Pick<Provider, 'issuer' | 'pathFor'>
  readonly languages: Languages
  /** What `createAssets` made for these languages. */
  readonly assets: () => Promise<Assets>
}

/** What every page has, beside its own policies of content and referrer. */
export const PROTECTIVE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'X-Content-Type-Options': 'nosniff',
} as const

/** `GET {path}`, every page below it, and `{path}/assets/*`. Other requests go on. */
export function consolePages(options: PagesOptions): Middleware {
  return pages('console', ({ web }) => web.product, options)
}

/** As {@link consolePages}: the page on which customers see who acted as them. */
export function accountPages(options: PagesOptions): Middleware {
  return pages('account', ({ account }) => account.title, options)
}

function pages(
  script: 'account' | 'console',
  titleIn: (words: Words) => string,
  { path, clientId, provider, languages, assets }: PagesOptions,
): Middleware {
  const data = dataOf(provider)
  const policy = policyFor(new URL(provider.issuer).origin)

  const showPage = async (ctx: Context) => {
    const { names } = await assets()
    const lang = languageOf(ctx, languages)
    const words = languages.wordsIn(lang)
    const assetUrl = (name: string) => `${path}/assets/${names.get(name)}`
    ctx.set({
      ...PROTECTIVE_HEADERS,
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
    })
    ctx.vary('Accept-Language')
    ctx.type = 'html'
    ctx.body = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleIn(words)}</title>
<link rel="stylesheet" href="${assetUrl('style.css')}">
<script type="module" src="${assetUrl(`${script}-${lang}.js`)}"></script>
<link rel="icon" href="${assetUrl('icon.svg')}">
</head>
<body data-path="${path}" data-client-id="${clientId}" data-issuer="${data.issuer}" data-authorization-endpoint="${data.authorization}" data-token-endpoint="${data.token}" data-end-session-endpoint="${data.endSession}" data-jwks-uri="${data.jwks}">
<noscript><p class="noscript">${words.web.noScript}</p></noscript>
</body>
</html>
`
  }

  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    const below = belowOf(ctx.path, path)
    if (below === undefined || /^api(?:$|\/)/.test(below)) return next()
    if (below.startsWith('assets/')) {
      return showAsset(ctx, await assets(), below.slice('assets/'.length))
    }
    return showPage(ctx)
  }
}

/** What is below the path; `undefined` where the request is for something else. */
function belowOf(asked: string, path: string): string | undefined {
  if (asked === path) return ''
  return asked.startsWith(`${path}/`) ? asked.slice(path.length + 1) : undefined
}

/** What the page must know of the provider, so that it needs no request for its metadata. */
function dataOf(provider: PagesOptions['provider']) {
  const { issuer } = provider
  // The path of the issuer is the one that the provider is mounted at.
  const mountPath = new URL(issuer).pathname.replace(/\/$/, '')
  const urlOf = (name: string) => new URL(provider.pathFor(name, { mountPath }), issuer).href
  return {
    issuer,
    authorization: urlOf('authorization'),
    token: urlOf('token'),
    endSession: urlOf('end_session'),
    jwks: urlOf('jwks'),
  }
}

/**
 * Scripts of this origin, requests to it and to the issuer, nothing inline, and no foreign HTML.
 */
function policyFor(issuer: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    `connect-src 'self' ${issuer}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';')
}
