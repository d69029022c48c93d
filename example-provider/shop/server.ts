// The customer's application: one page and its modules, on an origin of its own. It has no secret
// and no session: the browser signs in and talks to the provider and to the orders API.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Koa from 'koa'
import { type ServedFile, serveFiles } from './files.ts'
import { readModules } from './modules.ts'

export interface ShopOptions {
  /** The issuer that customers and operators sign in at. */
  readonly issuer: string
  /** The orders API: its URL is the resource of its access tokens. */
  readonly orders: string
  /** The support console, for operators whose time is over. */
  readonly console: string
}

const PAGES_FOLDER = join(import.meta.dirname, 'pages')
const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: SCRIPT_TYPE,
  svg: 'image/svg+xml',
}

/** The modules that the page imports by name: an import map tells the browser where they are. */
const PAGE_MODULES = ['oauth4webapi', 'oidc-provider-impersonation/browser']

/** Makes the application. It answers `GET` of its own files, and nothing else. */
export async function createShop({ issuer, orders, console }: ShopOptions): Promise<Koa> {
  const files = new Map<string, ServedFile>()
  await addPages(files)
  const imports: Record<string, string> = {}
  for (const name of PAGE_MODULES) imports[name] = await addModules(files, name)
  const importMap = JSON.stringify({ imports })
  const page = (await readFile(join(PAGES_FOLDER, 'shop.html'), 'utf8'))
    .replace('<!--import-map-->', `<script type="importmap">${importMap}</script>`)
    .replace('{{issuer}}', () => attribute(issuer))
    .replace('{{orders}}', () => attribute(orders))
    .replaceAll('{{console}}', () => attribute(console))
  for (const path of PAGE_PATHS) files.set(path, { body: page, type: 'text/html; charset=utf-8' })
  const policy = contentSecurityPolicy(importMap, [issuer, orders])

  const app = new Koa()
  app.use((ctx, next) => {
    ctx.set({
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return next()
    ctx.status = 405
    ctx.set('Allow', 'GET, HEAD')
  })
  app.use(serveFiles(files))
  return app
}

/** The page, and the two addresses that the provider sends the browser back to. */
const PAGE_PATHS: readonly string[] = ['/', '/signed-in', '/acting']

async function addPages(files: Map<string, ServedFile>): Promise<void> {
  for (const name of await readdir(PAGES_FOLDER)) {
    const type = CONTENT_TYPES[name.split('.').at(-1) ?? '']
    if (type)
      files.set(`/${name}`, { body: await readFile(join(PAGES_FOLDER, name), 'utf8'), type })
  }
}

/** Adds the modules of a package, and returns the URL path of the one that is imported. */
async function addModules(files: Map<string, ServedFile>, specifier: string): Promise<string> {
  const folder = `/modules/${specifier}/`
  const { entry, texts } = await readModules(specifier)
  for (const [name, body] of texts) {
    const { pathname } = new URL(name, `file:${folder}`)
    files.set(pathname, { body, type: SCRIPT_TYPE })
  }
  return folder + entry
}

/** Scripts of this origin and the one import map; requests to the provider and the API alone. */
function contentSecurityPolicy(importMap: string, urls: readonly string[]): string {
  const hash = createHash('sha256').update(importMap).digest('base64')
  const origins = new Set(urls.map((url) => new URL(url).origin))
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${[...origins].join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';')
}

function attribute(url: string): string {
  return new URL(url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
