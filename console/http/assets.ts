import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { readModules } from './modules.ts'

/** The URL path of assets. */
export const ASSETS = '/assets'

const installed = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier))

/** The files and folders that browsers may load. Nothing else is served. */
const SOURCES: ReadonlyArray<readonly [path: string, source: string]> = [
  ['browser', join(import.meta.dirname, '../browser')],
  ['eventsource-parser', join(installed('eventsource-parser'), '..')],
  ['jose', join(installed('jose'), '..')],
  ['oauth4webapi.js', installed('oauth4webapi')],
  ['pico.css', installed('@picocss/pico/css/pico.min.css')],
]

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

interface Asset {
  readonly body: Buffer
  readonly type: string
  readonly etag: string
}

/**
 * Reads all files once. A request finds its file by name in a map and never opens a path, so it
 * cannot leave the folders.
 */
export async function loadAssets(): Promise<Middleware> {
  const assets = new Map<string, Asset>()
  for (const [path, source] of SOURCES) await load(assets, posix.join(ASSETS, path), source)
  await loadBrowserModule(assets)

  return async (ctx, next) => {
    const asset = assets.get(ctx.path)
    if (!asset || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    // The browser asks each time and loads only changed files, so old and new versions never mix.
    ctx.set({ 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' })
    ctx.type = asset.type
    ctx.etag = asset.etag
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = asset.body
  }
}

async function load(assets: Map<string, Asset>, path: string, source: string): Promise<void> {
  const type = TYPES.get(extname(source))
  if (type !== undefined) {
    assets.set(path, assetOf(await readFile(source), type))
    return
  }
  if (extname(source) !== '') return
  for (const name of await readdir(source)) {
    await load(assets, posix.join(path, name), join(source, name))
  }
}

/** `oidc-provider-impersonation/browser`, under a name that does not tell whether it was built. */
async function loadBrowserModule(assets: Map<string, Asset>): Promise<void> {
  const { entry, texts } = await readModules('oidc-provider-impersonation/browser')
  const add = (path: string, text: string) =>
    assets.set(posix.join(ASSETS, path), assetOf(Buffer.from(text), TYPES.get('.js') ?? ''))
  for (const [name, text] of texts) add(`impersonation/${name}`, text)
  add('impersonation.js', `export * from './impersonation/${entry}'\n`)
}

function assetOf(body: Buffer, type: string): Asset {
  return { body, type, etag: createHash('sha256').update(body).digest('base64url') }
}
