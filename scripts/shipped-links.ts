// In the repository, documents link to whatever explains more. A tarball has a part of the
// repository. So `prepack` lets the links that would leave the tarball lead to the repository on the
// web, at the tag of the version, and `postpack` takes that back:
//   node scripts/shipped-links.ts web | relative
import { glob, readFile, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { replaceLinks } from './markdown-links.ts'

/** The members of package.json that say what is shipped, and where the rest is. */
export interface ShippedManifest {
  readonly version: string
  readonly files: readonly string[]
  readonly repository: { readonly url: string; readonly directory?: string }
}

/** npm ships these whatever `files` says. */
const ALWAYS_SHIPPED = ['README.md', 'LICENSE', 'package.json']

/**
 * Lets the links of a document that leave the tarball lead to the web.
 *
 * @param path of the document, from the package's folder
 */
export function withWebLinks(text: string, path: string, manifest: ShippedManifest): string {
  return replaceLinks(text, (link) => {
    if (/^(\w+:|#)/.test(link)) return link
    const [target = '', anchor] = link.split('#')
    const file = posix.join(posix.dirname(path), target)
    if (isShipped(file, manifest)) return link
    // GitHub shows a page of a file under `blob`, and the image itself under `raw`.
    const view = file.endsWith('.png') ? 'raw' : 'blob'
    const inRepository = posix.join(manifest.repository.directory ?? '.', file)
    return withAnchor(`${webOf(manifest, view)}${inRepository}`, anchor)
  })
}

/** Takes {@link withWebLinks} back. */
export function withRelativeLinks(text: string, path: string, manifest: ShippedManifest): string {
  const webs = [webOf(manifest, 'blob'), webOf(manifest, 'raw')]
  return replaceLinks(text, (link) => {
    const web = webs.find((each) => link.startsWith(each))
    if (web === undefined) return link
    const from = posix.join(manifest.repository.directory ?? '.', posix.dirname(path))
    const [target = '', anchor] = link.slice(web.length).split('#')
    return withAnchor(posix.relative(from, target), anchor)
  })
}

function withAnchor(link: string, anchor: string | undefined): string {
  return anchor === undefined ? link : `${link}#${anchor}`
}

function isShipped(file: string, { files }: ShippedManifest): boolean {
  const isIn = (entry: string) => file === entry || file.startsWith(`${entry}/`)
  if (files.some((entry) => entry.startsWith('!') && isIn(entry.slice(1)))) return false
  return ALWAYS_SHIPPED.includes(file) || files.some(isIn)
}

function webOf({ version, repository }: ShippedManifest, view: 'blob' | 'raw'): string {
  return `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/${view}/v${version}/`
}

if (import.meta.main) {
  const [command] = process.argv.slice(2)
  if (command !== 'web' && command !== 'relative') throw new TypeError('say web or relative')
  const change = command === 'web' ? withWebLinks : withRelativeLinks
  const manifest: ShippedManifest = JSON.parse(await readFile('package.json', 'utf8'))
  const folders = manifest.files.filter((entry) => !/^!|^dist$|\.\w+$/.test(entry))
  for await (const path of glob(['*.md', ...folders.map((folder) => `${folder}/**/*.md`)])) {
    if (!isShipped(path, manifest)) continue
    const text = await readFile(path, 'utf8')
    const changed = change(text, path, manifest)
    if (changed !== text) await writeFile(path, changed)
  }
}
