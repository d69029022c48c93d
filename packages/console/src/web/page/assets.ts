import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { type BrandSettings, brandStyle } from '../brand.ts'
import { browserFiles } from './source.ts'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The files that browsers load. */
export interface Assets {
  /** The name with the hash of the content: `page-mY3kqN8cQ1xB.js`. */
  readonly names: ReadonlyMap<string, string>
  readonly byName: ReadonlyMap<string, Buffer>
}

/** The assets of the pages, with the color of the firm. A failure is not kept. */
export function createAssets(brand?: BrandSettings): () => Promise<Assets> {
  let assets: Promise<Assets> | undefined
  return () => {
    assets ??= readAssets(brand).catch((error) => {
      assets = undefined
      throw error
    })
    return assets
  }
}

async function readAssets(brand: BrandSettings | undefined): Promise<Assets> {
  const names = new Map<string, string>()
  const byName = new Map<string, Buffer>()
  const add = (stem: string, extension: string, content: Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12)
    const hashed = `${stem}-${hash}.${extension}`
    names.set(`${stem}.${extension}`, hashed)
    byName.set(hashed, content)
  }
  for (const [name, file] of await browserFiles()) {
    const [stem = '', extension = ''] = name.split('.')
    add(stem, extension, Buffer.from(file))
  }
  const style = brand?.color && brandStyle(brand.color)
  if (style !== undefined) add('brand', 'css', Buffer.from(style))
  return { names, byName }
}

const COMPRESSIONS = {
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
} as const

/** Compressed files by encoding and name. A name has one content, in all consoles of a process. */
const compressed = new Map<string, Promise<Buffer>>()

function compress(name: string, encoding: keyof typeof COMPRESSIONS, content: Buffer) {
  const key = `${encoding} ${name}`
  const found = compressed.get(key) ?? COMPRESSIONS[encoding](content)
  compressed.set(key, found)
  return found
}

/** Answers with an asset: for ever the same, since its name has the hash of its content. */
export async function showAsset(ctx: Context, { byName }: Assets, name: string): Promise<void> {
  const content = byName.get(name)
  if (!content) {
    // Browsers must not keep this: the next version of the server may have the file.
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 404
    return
  }
  const accepted = ctx.acceptsEncodings('br', 'gzip', 'identity')
  const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity'
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.vary('Accept-Encoding')
  ctx.type = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? ''
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  ctx.body = encoding === 'identity' ? content : await compress(name, encoding, content)
}
