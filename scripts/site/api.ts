import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TOOLS = import.meta.dirname
/** The export condition that leads to the source. */
const CONDITION = 'oidc-provider-impersonation'

/** The texts of the files below a folder, by path. */
type Pages = ReadonlyMap<string, string>

interface EntryPoint {
  /** The module name that users import. */
  readonly specifier: string
  readonly source: string
  readonly page: string
}

/** What users install. */
const PACKAGES = [
  '.',
  'packages/resource-server',
  'packages/browser',
  'packages/console',
  'packages/verify',
  'packages/testing',
]
/** Semantic versioning does not cover it. */
const NOT_PUBLIC = './siblings'

const entryPoints = (await Promise.all(PACKAGES.map(readEntryPoints))).flat()

async function readEntryPoints(folder: string): Promise<EntryPoint[]> {
  const { name, exports } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
  return Object.keys(exports).flatMap((path) => {
    const source: unknown = exports[path][CONDITION]
    if (typeof source !== 'string' || path === NOT_PUBLIC) return []
    const file = join(folder, source)
    return {
      specifier: name + path.slice(1),
      source: join(ROOT, file),
      page: `${file.replace(/(\/index)?\.ts$/, '')}.md`,
    }
  })
}

async function readPages(folder: string): Promise<Pages> {
  const pages = new Map<string, string>()
  for await (const path of glob('**/*.md', { cwd: folder })) {
    pages.set(path, withHeadings(await readFile(join(folder, path), 'utf8')))
  }
  return pages
}

/**
 * TypeDoc numbers the anchor of a type whose name is that of a class and its member written together
 * (`ImpersonationErrorCode`, `ImpersonationError.code`). The headings differ, so there is no number.
 */
function withHeadings(text: string): string {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, name = '']) => name.toLowerCase())
  return text.replaceAll(/\(#([a-z]+)-1\)/g, (link, name) =>
    headings.filter((heading) => heading === name).length === 1 ? `(#${name})` : link,
  )
}

/** The exports of every public entry point, from the types and docstrings of the source. */
export async function apiPages(): Promise<Pages> {
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-api-docs-'))
  try {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [
        join(TOOLS, 'node_modules/typedoc/bin/typedoc'),
        ...['--options', join(TOOLS, 'typedoc.config.js'), '--out', folder],
        ...entryPoints.map(({ source }) => source),
      ],
      // TypeDoc sorts names by the locale.
      { env: { ...process.env, LC_ALL: 'en_US.UTF-8' } },
    )
    if (stderr) console.error(stderr.trimEnd())
    const pages = await readPages(folder)
    return new Map([...pages, ['index.md', overview(pages)]])
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The first page: the entry points and their exported names. */
function overview(pages: Pages): string {
  const rows = entryPoints.map(({ specifier, page }) => {
    const text = pages.get(page)
    if (text === undefined) throw new Error(`TypeDoc wrote no ${page}`)
    const names = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^### (.+)$/gm)]
    return `| [\`${specifier}\`](${page}) | ${names.map(([, name]) => name).join(', ')} |`
  })
  return `# API

These pages are made from the types and docstrings of the source. [Options](../options.md) has the bounds and error messages of every option, and [Events](../events.md) the events of the provider. Names that oidc-provider exports too are left out.

| import from | exports |
|---|---|
${rows.join('\n')}
`
}
