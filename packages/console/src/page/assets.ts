import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { browserFiles } from './bundle.ts'
import type { BrowserFiles } from './source.ts'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

interface Asset {
  readonly type: string
  readonly identity: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
}

/** The files that browsers load, compressed once. */
export interface Assets {
  /** The name with the hash of the content: `console-mY3kqN8cQ1xB.js`. */
  readonly names: ReadonlyMap<string, string>
  readonly byName: ReadonlyMap<string, Asset>
}

let assets: Promise<Assets> | undefined

/** The assets of both pages. A failure is not kept. */
export function allAssets(): Promise<Assets> {
  assets ??= browserFiles()
    .then(readAssets)
    .catch((error) => {
      assets = undefined
      throw error
    })
  return assets
}

async function readAssets(files: BrowserFiles): Promise<Assets> {
  const names = new Map<string, string>()
  const byName = new Map<string, Asset>()
  for (const [name, file] of files) {
    const [stem, extension = ''] = name.split('.')
    const content = Buffer.from(file)
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12)
    const hashed = `${stem}-${hash}.${extension}`
    names.set(name, hashed)
    byName.set(hashed, {
      type: MEDIA_TYPES[extension] ?? '',
      identity: content,
      gzip: await promisify(gzip)(content, { level: 9 }),
      br: await promisify(brotliCompress)(content, {
        params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
      }),
    })
  }
  return { names, byName }
}

/** Answers with an asset: for ever the same, since its name has the hash of its content. */
export async function showAsset(ctx: Context, name: string): Promise<void> {
  const asset = (await allAssets()).byName.get(name)
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
  ctx.type = asset.type
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  ctx.body = asset[encoding]
}
