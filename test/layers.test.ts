import { join, sep } from 'node:path'
import { expect } from 'chai'
import { circlesOf, filesBelow, type Import, importsBelow } from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'src')

/** The folders of src, from the bottom: a file imports from its own folder and from those below it. */
const LAYERS = [
  'public',
  'shared',
  'host',
  'options',
  'adapters',
  'events',
  'tokens',
  'policy',
  'claims',
  'status-list',
  'impersonations',
  'exchange',
  'issue',
  'http',
  'siblings',
]

/** The files that stand in no folder: above every folder. */
const TOP_FILES = [
  'assemble.ts',
  'checklist.ts',
  'configuration.ts',
  'impersonation.ts',
  'index.ts',
  'provider.ts',
]

/** Modules that each package may import of others, at run time. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  // The types of React alone.
  browser: /^(?:oauth4webapi|react)$/,
  'resource-server': /^(?:jose|node:.*)$/,
  verify: /^(?:jose|node:.*)$/,
  testing:
    /^(?:jose|koa|chai|oidc-provider|oidc-provider-impersonation(?:\/adapters\/(?:contract|memory)|\/siblings)?|node:.*)$/,
}

/** The adapters know the contract, and not each other. */
const ADAPTERS = ['memory', 'sqlite', 'postgres', 'redis']

/** Imports the types of every layer, and nothing else: the parts of a provider. */
const INSTANCE = join('host', 'weak-cache.ts')

const files = filesBelow(SOURCE)
const imports = importsBelow(SOURCE)
const own = imports.filter(({ file, isOwn }) => isOwn && file !== INSTANCE)

/** `undefined` for a file that belongs to no layer. */
function layerOf(file: string): number | undefined {
  const [folder = '', ...rest] = file.split(sep)
  if (rest.length === 0) return TOP_FILES.includes(file) ? LAYERS.length : undefined
  const layer = LAYERS.indexOf(folder)
  return layer === -1 ? undefined : layer
}

const describeImport = ({ file, target }: Import) => `${file} imports ${target}`
const isBelow = (folder: string, file: string) => file.startsWith(folder.replaceAll('/', sep) + sep)

/** Expects so many imports at least, and none that is wrong. */
function expectNone(all: readonly Import[], most: number, isWrong: (one: Import) => boolean): void {
  expect(all.length).to.be.greaterThan(most)
  expect(all.filter(isWrong).map(describeImport)).to.deep.equal([])
}

describe('the layers of src', () => {
  it('are the folders that are listed here, and six files', () => {
    expect(files.length).to.be.greaterThan(70)
    const elsewhere = files.filter((file) => layerOf(file) === undefined)
    expect(elsewhere, 'files of no layer').to.deep.equal([])
  })

  it('import from their own folder and from folders below it, never upwards', () =>
    expectNone(own, 200, ({ file, target }) => {
      const [from, to] = [layerOf(file), layerOf(target)]
      return from === undefined || to === undefined || to > from
    }))

  it('have one file that knows the types of all, and only the types', () => {
    const known = imports.filter(({ file }) => file === INSTANCE)
    expectNone(known, 1, ({ isType }) => !isType)
  })

  it('keep the adapters apart: each imports the contract, and no other adapter', () =>
    expectNone(own, 200, ({ file, target }) => {
      const adapterOf = (path: string) => ADAPTERS.find((name) => isBelow(`adapters/${name}`, path))
      const [one, other] = [adapterOf(file), adapterOf(target)]
      return one !== undefined && other !== undefined && one !== other
    }))

  it("import oidc-provider's undescribed modules in host/ alone", () => {
    const deep = imports.filter(({ target }) => target.startsWith('oidc-provider/'))
    expectNone(deep, 3, ({ file }) => !isBelow('host', file))
  })

  for (const folder of ['src', 'bench', 'example-provider', 'scripts']) {
    it(`have no circle of files: ${folder}`, () => {
      const all = importsBelow(join(ROOT, folder)).filter(({ file }) => file !== INSTANCE)
      expect(all.length).to.be.greaterThan(10)
      expect(circlesOf(all)).to.deep.equal([])
    })
  }
})

describe('the packages', () => {
  for (const [name, allowed] of Object.entries(PACKAGES)) {
    it(`are themselves alone: ${name}`, () => {
      const all = importsBelow(join(ROOT, 'packages', name, 'src'))
      expectNone(all, 10, ({ target, isOwn }) =>
        isOwn ? target.startsWith('..') : !allowed.test(target),
      )
      expect(circlesOf(all)).to.deep.equal([])
    })
  }

  it('are not imported by the plugin', () =>
    expectNone(imports, 200, ({ target }) => /^(?:\.\.|oidc-provider-imp)/.test(target)))
})
