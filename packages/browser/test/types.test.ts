import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../../../test/support/compile.ts'

const PACKAGE = join(import.meta.dirname, '..')
const MODULES = join(PACKAGE, '../../node_modules')

describe('the types of the banner', function () {
  this.timeout(60_000)
  let folder: string
  before(async () => {
    // Below the package, so that its dependencies are found.
    folder = await mkdtemp(join(PACKAGE, 'test/types-'))
    await mkdir(join(folder, 'node_modules'))
    for (const name of ['@types', 'oidc-provider-impersonation-browser']) {
      await symlink(join(MODULES, name), join(folder, 'node_modules', name))
    }
  })
  after(() => rm(folder, { recursive: true }))

  async function complaintsOf(file: string, lines: readonly string[]): Promise<string> {
    await writeFile(join(folder, file), lines.join('\n'))
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      jsx: 'react-jsx',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: ['react'],
      module: 'esnext',
      moduleResolution: 'bundler',
      customConditions: ['oidc-provider-impersonation'],
      allowImportingTsExtensions: true,
    }
    const project = join(folder, `${file}.json`)
    await writeFile(project, JSON.stringify({ compilerOptions, files: [file] }))
    return compile(['-p', project])
  }

  const IMPORTS = [
    "import 'oidc-provider-impersonation-browser/react'",
    "import type { ImpersonationSession } from 'oidc-provider-impersonation-browser'",
    'declare const session: ImpersonationSession',
  ]

  it('let React 19 show it, with its properties and its event', async () => {
    const shown =
      'export const shown = <impersonation-banner session={session} userName="Alice Ng" changes={false} id="banner" onend-failed={({ detail }) => console.error(detail)} />'
    expect(await complaintsOf('shown.tsx', [...IMPORTS, shown])).to.equal('')
  })

  it('refuse a property of another type, and one that it does not have', async () => {
    const complaints = await complaintsOf('wrong.tsx', [
      ...IMPORTS,
      'export const wrong = <impersonation-banner session="session" />',
      'export const unknown = <impersonation-banner customer="Alice Ng" />',
      'export { session }',
    ])
    expect(complaints.match(/error TS2322/g)).to.have.lengthOf(2)
  })

  it('know the element that the document makes', async () => {
    expect(
      await complaintsOf('document.ts', [
        ...IMPORTS.slice(1),
        "document.createElement('impersonation-banner').session = session",
        "document.querySelector('impersonation-banner')?.userName?.length",
      ]),
    ).to.equal('')
  })
})
