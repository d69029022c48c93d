import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../../../test/support/compile.ts'

const PACKAGE = join(import.meta.dirname, '..')
const MODULES = join(PACKAGE, '../../node_modules')

describe('the types of the banner', () => {
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
    "import { ImpersonationBanner, useImpersonation } from 'oidc-provider-impersonation-browser/react'",
    "import type { ImpersonationSession } from 'oidc-provider-impersonation-browser'",
    'declare const session: ImpersonationSession',
  ]

  it('let React and the document show it, with its properties and no other', async () => {
    const shown = [
      'export const shown = <ImpersonationBanner userName="Alice Ng" changes={false} over={<a href="/">Back</a>} onEndFailed={(error) => console.error(error)} />',
      "document.createElement('impersonation-banner').session = session",
      "document.querySelector('impersonation-banner')?.userName?.length",
    ]
    expect(await complaintsOf('shown.tsx', [...IMPORTS, ...shown])).to.equal('')
    const complaints = await complaintsOf('wrong.tsx', [
      ...IMPORTS,
      'export const wrong = <ImpersonationBanner userName={7} />',
      'export const unknown = <ImpersonationBanner customer="Alice Ng" />',
    ])
    expect(complaints.match(/error TS2322/g)).to.have.lengthOf(2)
  })

  it('know that a session is there while it is active, and an error where it failed', async () => {
    const states = [
      'const impersonation = useImpersonation()',
      "if (impersonation.state === 'active') impersonation.session.fetch('/orders')",
      "else if (impersonation.state === 'failed') console.error(impersonation.error.message)",
    ]
    expect(await complaintsOf('states.tsx', [...IMPORTS, ...states])).to.equal('')
    const wrong = [...IMPORTS, 'useImpersonation().session.fetch("/orders")']
    expect(await complaintsOf('unsure.tsx', wrong)).to.include('TS2532')
  })
})
