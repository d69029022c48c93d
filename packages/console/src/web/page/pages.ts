import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import type { BrandSettings } from '../brand.ts'
import { languageOf } from '../http/language.ts'
import { providerUrl } from '../provider-url.ts'
import type { Languages } from '../words/languages.ts'
import type { Words } from '../words/words.ts'
import { type Assets, showAsset } from './assets.ts'
import { showDocument } from './document.ts'
import { html } from './html.ts'

export interface PagesOptions {
  /** Where the page is: `/console`. */
  readonly path: string
  /** The public client of the page. */
  readonly clientId: string
  readonly provider: Pick<Provider, 'issuer' | 'pathFor'>
  readonly languages: Languages
  readonly brand?: BrandSettings | undefined
  /** What `createAssets` made for these languages. */
  readonly assets: () => Promise<Assets>
}

/** `GET {path}`, every page below it, and `{path}/assets/*`. Other requests go on. */
export function consolePages(options: PagesOptions): Middleware {
  return pageAt('console', ({ web }) => web.product, options)
}

function pageAt(
  script: 'console',
  titleIn: (words: Words) => string,
  { path, clientId, provider, languages, brand, assets }: PagesOptions,
): Middleware {
  const data = dataOf(provider)
  const showPage = async (ctx: Context) => {
    const { names } = await assets()
    const lang = languageOf(ctx, languages)
    const words = languages.wordsIn(lang)
    const title = brand ? `${titleIn(words)} · ${brand.name}` : titleIn(words)
    showDocument(ctx, {
      ...{ path, lang, names, title, brand, script: `${script}-${lang}.js` },
      attributes: html` data-path="${path}" data-client-id="${clientId}" data-issuer="${data.issuer}" data-authorization-endpoint="${data.authorization}" data-token-endpoint="${data.token}" data-end-session-endpoint="${data.endSession}" data-jwks-uri="${data.jwks}"`,
      body: html`<noscript><p class="noscript">${words.web.noScript}</p></noscript>`,
      // Scripts of this origin, and requests to it and to the issuer.
      allows: [
        "script-src 'self'",
        `connect-src 'self' ${new URL(provider.issuer).origin}`,
        "form-action 'none'",
      ],
      referrer: 'no-referrer',
    })
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
  const urlOf = (name: string) => providerUrl(provider, name)
  return {
    issuer: provider.issuer,
    authorization: urlOf('authorization'),
    token: urlOf('token'),
    endSession: urlOf('end_session'),
    jwks: urlOf('jwks'),
  }
}
