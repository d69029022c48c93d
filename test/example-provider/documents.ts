import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '../..')

export type Module = Readonly<Record<string, unknown>>

/** The TypeScript of a document, each block a module in a folder of its own, as a user has it. */
export interface Snippets extends AsyncDisposable {
  readonly folder: string
  /** The module that is one block under a heading: the first, if nothing else is said. */
  load(heading: string, index?: number): Promise<Module>
}

/** Takes the blocks marked `ts` out of a document below `docs/`. */
export async function snippetsOf(document: string): Promise<Snippets> {
  const text = await readFile(join(ROOT, 'docs', document), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-documents-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await mkdir(join(folder, 'src'))

  const files = new Map<string, string[]>()
  for (const section of text.split(/^## /m)) {
    const heading = section.split('\n', 1)[0] ?? ''
    for (const [, code = ''] of section.matchAll(/^```ts\n(.*?)^```$/gms)) {
      const file = join(folder, 'src', `block-${files.size}-${files.get(heading)?.length ?? 0}.ts`)
      await writeFile(file, code)
      files.set(heading, [...(files.get(heading) ?? []), file])
    }
  }
  return {
    folder,
    async load(heading, index = 0) {
      const file = files.get(heading)?.[index]
      if (file === undefined) throw new Error(`${document} has no such code under ${heading}`)
      return await import(pathToFileURL(file).href)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    paths: { 'oidc-provider-impersonation': [join(ROOT, 'src/index.ts')] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  include: ['src', join(ROOT, 'src/oidc-provider-lib.d.ts')],
}
