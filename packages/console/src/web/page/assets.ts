import { hash } from 'node:crypto'
import { extname, parse } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { type BrandSettings, brandStyle } from '../brand.ts'
import { browserFiles } from './source.ts'

/** A file that browsers load. */
interface Asset {
  /** The name with the hash of the content: `page-mY3kqN8cQ1xB.js`. */
  readonly name: string
  readonly content: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>
}

/** The files that browsers load, by their names without a hash: `page.js`. */
export type Assets = ReadonlyMap<string, Asset>

async function assetOf(file: string, content: Uint8Array): Promise<readonly [string, Asset]> {
  const identity = Buffer.from(content)
  const { name, ext } = parse(file)
  const digest = hash('sha256', identity, 'base64url').slice(0, 12)
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return [file, { name: `${name}-${digest}${ext}`, content: { br, gzip: zipped, identity } }]
}

let built: Promise<(readonly [string, Asset])[]> | undefined

async function readBuilt() {
  const files = await browserFiles()
  return Promise.all(files.map(([name, content]) => assetOf(name, content)))
}

/** The assets of pages, with the color of the firm. A failure is not kept. */
export function createAssets(brand: BrandSettings | undefined): () => Promise<Assets> {
  const own = brand?.color ? [assetOf('brand.css', Buffer.from(brandStyle(brand.color)))] : []
  return async () => {
    built ??= readBuilt().catch((error) => {
      built = undefined
      throw error
    })
    return new Map([...(await built), ...(await Promise.all(own))])
  }
}

/** Answers with an asset: for ever the same, since its name has the hash of its content. */
export async function showAsset(ctx: Context, assets: Assets, name: string): Promise<void> {
  const asset = [...assets.values()].find((each) => each.name === name)
  if (!asset) {
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
  ctx.type = extname(name)
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  ctx.body = asset.content[encoding]
}
