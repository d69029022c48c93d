import { ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IMAGES } from './screenshots.ts'

/** What the browser got for a page, by path: the SHA-256 of each part. */
export type MadeOf = Readonly<Record<string, string>>

/** The file beside the pictures that lists the hashes of the page parts. */
const FILE = join(IMAGES, 'made-of.json')

/** The page itself, its styles and its scripts, without the libraries. */
const PARTS = /^\/console$|^\/assets\/(?:browser\/|pico\.css$)/

/** @param urls what a visit requested */
export async function madeOf(base: string, urls: readonly string[]): Promise<MadeOf> {
  const paths = new Set(urls.map((url) => new URL(url, base).pathname))
  const parts = [...paths].filter((path) => PARTS.test(path)).sort()
  ok(parts.length > 3, `a console is more than ${parts}`)
  const entries = parts.map(async (path): Promise<[string, string]> => {
    const response = await fetch(new URL(path, base))
    ok(response.ok, `${response.status} from ${path}`)
    return [
      path,
      createHash('sha256')
        .update(await response.bytes())
        .digest('hex'),
    ]
  })
  return Object.fromEntries(await Promise.all(entries))
}

export async function readMadeOf(): Promise<MadeOf> {
  return JSON.parse(await readFile(FILE, 'utf8'))
}

export async function writeMadeOf(parts: MadeOf): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(parts, null, 2)}\n`)
}

/** The parts that are not the same in both, or only in one. */
export function differences(one: MadeOf, other: MadeOf): string[] {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...paths].filter((path) => one[path] !== other[path])
}
