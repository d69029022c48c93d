// The customer's application: one page and its script, on an origin of its own. It has no secret and
// no session: the browser signs in and talks to the provider and to the orders API.
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import Koa from 'koa'
import helmet from 'koa-helmet'
import german from './pages/words/de.json' with { type: 'json' }
import english from './pages/words/en.json' with { type: 'json' }

export interface ShopOptions {
  /** The issuer that customers and operators sign in at. */
  readonly issuer: string
  /** The orders API: its URL is the resource of its access tokens. */
  readonly orders: string
  /** The support console, for operators whose time is over. */
  readonly console: string
}

const PAGES_FOLDER = join(import.meta.dirname, 'pages')
/** The page, and the two addresses that the provider sends the browser back to. */
const PAGE_PATHS: readonly string[] = ['/', '/signed-in', '/acting']
const KIT_PACKAGE = 'oidc-provider-impersonation-browser'

/** Makes the application. It answers `GET` of its own files, and nothing else. */
export async function createShop({ issuer, orders, console }: ShopOptions): Promise<Koa> {
  const files = await bundlePages()
  const template = await readFile(join(PAGES_FOLDER, 'shop.html'), 'utf8')
  const urls = { issuer, ordersUrl: orders, console }
  const addresses = Object.entries(urls).map(([name, url]) => [name, new URL(url).href] as const)
  const pageIn = (language: string, { page }: typeof english) => {
    const texts = new Map<string, string>(addresses)
    for (const [name, words] of Object.entries(page)) texts.set(name, words)
    const own = template.replace('lang="en"', `lang="${language}"`)
    return own.replace(/\{\{(\w+)\}\}/g, (_, name) => escapeHtml(texts.get(name) ?? ''))
  }
  const pages = { en: pageIn('en', english), de: pageIn('de', german) }

  const app = new Koa()
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          'default-src': ["'none'"],
          'script-src': ["'self'"],
          'style-src': ["'self'"],
          'img-src': ["'self'"],
          'connect-src': new Set([issuer, orders].map((url) => new URL(url).origin)),
          'form-action': ["'none'"],
          'base-uri': ["'none'"],
          'frame-ancestors': ["'none'"],
          'require-trusted-types-for': ["'script'"],
          'trusted-types': ["'none'"],
        },
      },
      strictTransportSecurity: false,
    }),
  )
  app.use((ctx) => {
    const isGerman = ctx.acceptsLanguages('en', 'de') === 'de'
    const file = PAGE_PATHS.includes(ctx.path) ? pages[isGerman ? 'de' : 'en'] : files.get(ctx.path)
    if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return
    ctx.set('Cache-Control', 'no-cache')
    ctx.vary('Accept-Language')
    ctx.type = extname(ctx.path) || 'html'
    ctx.body = file
  })
  return app
}

/** The style, the icon, and the script with what it imports: by the URL path of each. */
async function bundlePages(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: ['shop.js', 'shop.css', 'icon.svg'].map((name) => join(PAGES_FOLDER, name)),
    // As Node finds it: its source in this repository, and its build in yours.
    alias: { [KIT_PACKAGE]: fileURLToPath(import.meta.resolve(KIT_PACKAGE)) },
    bundle: true,
    format: 'esm',
    loader: { '.svg': 'copy' },
    outdir: 'out',
    // The banner is loaded when an operator acts.
    splitting: true,
    target: 'es2022',
    tsconfigRaw: {},
    write: false,
  })
  return new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
