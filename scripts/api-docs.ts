// Writes docs/api: the exports of every public entry point, from the types and docstrings of the
// source. Run it with `npm run docs:api`, which first installs TypeDoc into scripts/api-docs. With
// `--check`, it writes nothing, and fails if docs/api is out of date.
import { execFile } from 'node:child_process'
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TOOLS = join(ROOT, 'scripts/api-docs')
const TARGET = join(ROOT, 'docs/api')

/** The texts of the files below a folder, by path. */
type Pages = ReadonlyMap<string, string>

interface EntryPoint {
  /** The module name that users import. */
  readonly specifier: string
  readonly source: string
  readonly page: string
}

const entryPoints: readonly EntryPoint[] = Object.entries(manifest.exports).flatMap(
  ([path, target]) => {
    if (typeof target === 'string' || !('default' in target)) return []
    const [, name = ''] = /^\.\/dist\/(.+)\.js$/.exec(target.default) ?? []
    return {
      specifier: manifest.name + path.slice(1),
      source: join(ROOT, 'src', `${name}.ts`),
      page: `${name.replace(/\/index$/, '')}.md`,
    }
  },
)

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

async function generatePages(): Promise<Pages> {
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
    return new Map([...pages, ['README.md', overview(pages)]])
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

\`npm run docs:api\` writes these pages from the types and docstrings of the source. [Options](../options.md) has the bounds and error messages of every option, and [Events](../events.md) the events of the provider. Names that are re-exported from oidc-provider are left out.

| import from | exports |
|---|---|
${rows.join('\n')}
`
}

/** One line for each file of docs/api that is out of date. */
function differences(expected: Pages, actual: Pages): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].sort().flatMap((path) => {
    if (expected.get(path) === actual.get(path)) return []
    if (!actual.has(path)) return `docs/api/${path} is missing`
    if (!expected.has(path)) return `docs/api/${path} belongs to no entry point`
    return `docs/api/${path} is out of date`
  })
}

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const pages = await generatePages()
if (options.check) {
  const lines = differences(pages, await readPages(TARGET))
  if (lines.length > 0) {
    console.error(`${lines.join('\n')}\nRun \`npm run docs:api\`, and commit what it writes.`)
    process.exitCode = 1
  }
} else {
  await rm(TARGET, { recursive: true, force: true })
  for (const [path, text] of pages) {
    await mkdir(dirname(join(TARGET, path)), { recursive: true })
    await writeFile(join(TARGET, path), text)
  }
}
