// Builds the site of the documents into scripts/site/dist. Run it with `npm run docs:site`, which
// first installs VitePress and TypeDoc into scripts/site.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { PLACEHOLDER } from './check-release.ts'
import { replaceLinks } from './markdown-links.ts'

const ROOT = join(import.meta.dirname, '..')
const SITE = join(ROOT, 'scripts/site')
const PAGES = join(SITE, 'pages')

/** Documents outside docs/ that have a place of their own on the site. */
const PLACES: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'docs/README.md': 'documents.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changes.md',
  'CONTRIBUTING.md': 'contributing.md',
  'RELEASING.md': 'releasing.md',
  'bench/README.md': 'measuring.md',
}

/** Returns the path of a document on the site. */
function placeOf(path: string): string {
  const [, name] = /^packages\/([\w-]+)\/README\.md$/.exec(path) ?? []
  return PLACES[path] ?? (name ? `packages/${name}.md` : path.replace(/^docs\//, ''))
}

const documents = new Map<string, string>()
for await (const path of glob([...Object.keys(PLACES), 'docs/**/*.md', 'packages/*/README.md'], {
  cwd: ROOT,
})) {
  documents.set(path, placeOf(path))
}

/** A link to a document leads to its page, and a link to another file into the repository. */
function linkFrom(document: string, link: string): string {
  const inRepository = link.replace(new RegExp(`^${PLACEHOLDER}/(?:blob|raw)/main/`), '/')
  const [path = '', anchor] = inRepository.split('#')
  if (path === '' || URL.canParse(path)) return link
  const file = path.startsWith('/')
    ? path.slice(1)
    : posix.normalize(posix.join(posix.dirname(document), path))
  const suffix = anchor === undefined ? '' : `#${anchor}`
  const place = documents.get(file)
  if (place) return `/${place}${suffix}`
  if (/\.(?:png|gif|webp)$/.test(file)) return `/${file}`
  return `${PLACEHOLDER}/blob/main/${file}${suffix}`
}

async function writePage(place: string, text: string): Promise<void> {
  const file = join(PAGES, place)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

console.log('laying out the pages')
await rm(PAGES, { recursive: true, force: true })
for (const [path, place] of documents) {
  const text = await readFile(join(ROOT, path), 'utf8')
  await writePage(
    place,
    replaceLinks(text, (link) => linkFrom(path, link)),
  )
}
for await (const image of glob(['docs/images/*', 'packages/*/images/*'], { cwd: ROOT })) {
  await cp(join(ROOT, image), join(PAGES, 'public', image))
}
console.log('reading the exports of the packages')
await run('typedoc/bin/typedoc', '--options', join(SITE, 'typedoc.config.js'))
console.log('building the site')
await run('vitepress/bin/vitepress.js', 'build', SITE)
console.log(`${relative(process.cwd(), join(SITE, 'dist'))} is the site`)

/** Runs a tool of the site. */
async function run(tool: string, ...args: string[]): Promise<void> {
  const program = join(SITE, 'node_modules', tool)
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${tool} ended with ${code}`)
}
