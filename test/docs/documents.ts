import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')

export type Module = Readonly<Record<string, unknown>>

/** A page below `docs/`. */
export const pageOf = (name: string) => readFile(join(ROOT, 'docs', name), 'utf8')

/** The blocks of one language in a page. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const blocks = new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms')
  return [...(await pageOf(page)).matchAll(blocks)].map(([, block = '']) => block)
}

/** Calls a function of a page. */
// biome-ignore lint/suspicious/noExplicitAny: the code of a page comes without types.
export const call = (of: unknown, ...given: unknown[]): any =>
  Reflect.apply(Object(of), undefined, given)

export type Snippets = Awaited<ReturnType<typeof snippetsOf>>

/**
 * Takes the blocks of one language out of a document below `docs/`, each as a module in a folder of its
 * own, as a user has it. A block whose first line is the comment `// name.ts` is the file of that name,
 * and so is a file of examples/ that a line of the document begins with a link to.
 */
export async function snippetsOf(document: string, language: 'ts' | 'js' = 'ts') {
  const blocks = new RegExp(
    `^\`\`\`${language}\\n(.*?)^\`\`\`$|^\\[\`([\\w.-]+\\.m?${language})\`\\]\\(\\.\\./(examples/[^)]+)\\)`,
    'gms',
  )
  const text = await pageOf(document)
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-documents-'))
  await linkModules(join(folder, 'node_modules'))
  await symlink(join(ROOT, 'src'), join(folder, 'package'))
  await writeFile(join(folder, 'package.json'), JSON.stringify(PACKAGE))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await mkdir(join(folder, 'src'))

  const files = new Map<string, string[]>()
  for (const section of text.split(/^## /m)) {
    const heading = section.split('\n', 1)[0] ?? ''
    for (const [, block = '', linked, path = ''] of section.matchAll(blocks)) {
      const code = linked ? await readFile(join(ROOT, path), 'utf8') : block
      const number = `${files.size}-${files.get(heading)?.length ?? 0}`
      const [, named = `block-${number}.ts`] = /^\/\/ ([\w.-]+\.(?:ts|mjs))\n/.exec(code) ?? []
      const name = linked ?? named
      const file = join(folder, 'src', name)
      await writeFile(file, code)
      files.set(heading, [...(files.get(heading) ?? []), file])
    }
  }
  return {
    /** In it, the package is imported by its name, and everything else comes from ours. */
    folder,
    /** The module that is one block under a heading: the first, if nothing else is said. */
    async load(heading: string, index = 0): Promise<Module> {
      const file = files.get(heading)?.[index]
      if (file === undefined) throw new Error(`${document} has no such code under ${heading}`)
      return await import(pathToFileURL(file).href)
    },
    /** The module that is a file of this name, with other texts in place of some of its own. */
    async loadFile(name: string, texts: Readonly<Record<string, string>> = {}): Promise<Module> {
      let code = await readFile(join(folder, 'src', name), 'utf8')
      for (const [text, other] of Object.entries(texts)) code = code.replaceAll(text, other)
      const file = join(folder, 'src', `${randomUUID()}-${name}`)
      await writeFile(file, code)
      return await import(pathToFileURL(file).href)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Dependencies as they are here. The packages of this repository lead to their sources, by any Node. */
async function linkModules(to: string): Promise<void> {
  await mkdir(to)
  const modules = join(ROOT, 'node_modules')
  for (const name of await readdir(modules)) {
    if (!name.startsWith(manifest.name)) await symlink(join(modules, name), join(to, name))
    else if (name !== manifest.name) await linkSources(name.slice(manifest.name.length + 1), to)
  }
}

async function linkSources(name: string, modules: string): Promise<void> {
  const source = join(ROOT, 'packages', name)
  const its: PackageManifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const target = join(modules, its.name)
  await mkdir(target)
  await symlink(join(source, 'src'), join(target, 'src'))
  const exported = Object.entries(its.exports).flatMap(([part, entry]) =>
    typeof entry === 'string' ? [] : [[part, entry[manifest.name]] as const],
  )
  const { type, version } = its
  const linked = { name: its.name, version, type, exports: Object.fromEntries(exported) }
  await writeFile(join(target, 'package.json'), JSON.stringify(linked))
}

interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const SOURCES = Object.entries(manifest.exports).flatMap(([part, target]) =>
  typeof target === 'string' || !('default' in target)
    ? []
    : [[part, target.default.replace('./dist/', '').replace('.js', '.ts')] as const],
)

/** A package imports itself by its name: Node's self-referencing. */
const PACKAGE = {
  name: manifest.name,
  private: true,
  type: 'module',
  exports: Object.fromEntries(SOURCES.map(([part, source]) => [part, `./package/${source}`])),
}

const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    paths: Object.fromEntries(
      SOURCES.map(([part, source]) => [manifest.name + part.slice(1), [join(ROOT, 'src', source)]]),
    ),
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  include: ['src', join(ROOT, 'src/host/oidc-provider-lib.d.ts')],
}
