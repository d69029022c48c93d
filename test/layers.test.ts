import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))

/** The folders of src, from the top: a file imports from its own folder and from those above it. */
const LAYERS = [
  'public',
  'host',
  'shared',
  'adapters',
  'audit',
  'tokens',
  'policy',
  'options',
  'claims',
  'lifecycle',
  'management',
  'token-exchange',
  'resource-server',
  'browser',
]

/** The files that stand in no folder: below every folder. */
const TOP_FILES = ['configuration.ts', 'impersonation.ts', 'index.ts', 'provider.ts']

/** What follows `from`, `import` or `import(`: types included, because a reader follows them too. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g

interface Import {
  /** Relative to src. */
  readonly file: string
  readonly specifier: string
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, specifier = '']) => ({ file, specifier }))
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)
const imports = files.flatMap(importsOf)

/** `undefined` for a file that belongs to no layer. */
function layerOf(file: string): number | undefined {
  const [folder = '', ...rest] = file.split(sep)
  if (rest.length === 0) return TOP_FILES.includes(file) ? LAYERS.length : undefined
  const layer = LAYERS.indexOf(folder)
  return layer === -1 ? undefined : layer
}

const told = ({ file, specifier }: Import) => `src/${file} imports '${specifier}'`

describe('the layers of src', () => {
  it('are the folders that are listed here, and four files', () => {
    expect(files.length).to.be.greaterThan(70)
    const elsewhere = files.filter((file) => layerOf(file) === undefined)
    expect(elsewhere, 'files of no layer').to.deep.equal([])
  })

  it('import from their own folder and from folders above it', () => {
    const own = imports.filter(({ specifier }) => specifier.startsWith('.'))
    expect(own.length).to.be.greaterThan(200)
    const upwards = own.filter(({ file, specifier }) => {
      const target = relative(SOURCE, join(SOURCE, file, '..', specifier))
      const [from, to] = [layerOf(file), layerOf(target)]
      return from === undefined || to === undefined || to > from
    })
    expect(upwards.map(told)).to.deep.equal([])
  })

  it('import nothing into browser/, which pages load without the rest', () => {
    const inBrowser = imports.filter(({ file }) => file.startsWith(`browser${sep}`))
    expect(inBrowser.length).to.be.greaterThan(20)
    const others = inBrowser.filter(
      ({ specifier }) => specifier !== 'oauth4webapi' && !/^\.\/[\w-]+\.ts$/.test(specifier),
    )
    expect(others.map(told)).to.deep.equal([])
  })

  it("import oidc-provider's undescribed modules in host/ alone", () => {
    const deep = imports.filter(({ specifier }) => specifier.startsWith('oidc-provider/'))
    const [inHost, outside] = [
      deep.filter(({ file }) => file.startsWith(`host${sep}`)),
      deep.filter(({ file }) => !file.startsWith(`host${sep}`)),
    ]
    expect(inHost.length).to.be.greaterThan(3)
    expect(outside.map(told)).to.deep.equal([])
  })
})
