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

/** What each package may import of others, at run time. */
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

const describeImport = ({ file, target }: Import) => `src/${file} imports ${target}`
const isBelow = (folder: string, file: string) => file.startsWith(folder.replaceAll('/', sep) + sep)

describe('the layers of src', () => {
  it('are the folders that are listed here, and six files', () => {
    expect(files.length).to.be.greaterThan(70)
    const elsewhere = files.filter((file) => layerOf(file) === undefined)
    expect(elsewhere, 'files of no layer').to.deep.equal([])
  })

  it('import from their own folder and from folders below it, never upwards', () => {
    expect(own.length).to.be.greaterThan(200)
    const upwards = own.filter(({ file, target }) => {
      const [from, to] = [layerOf(file), layerOf(target)]
      return from === undefined || to === undefined || to > from
    })
    expect(upwards.map(describeImport)).to.deep.equal([])
  })

  it('have one file that knows the types of all, and only the types', () => {
    const known = imports.filter(({ file }) => file === INSTANCE)
    expect(known.length).to.be.greaterThan(5)
    expect(known.filter(({ isType }) => !isType).map(describeImport)).to.deep.equal([])
  })

  it('keep the adapters apart: each imports the contract, and no other adapter', () => {
    const across = own.filter(({ file, target }) =>
      ADAPTERS.some(
        (adapter) =>
          isBelow(`adapters/${adapter}`, file) &&
          ADAPTERS.some((other) => other !== adapter && isBelow(`adapters/${other}`, target)),
      ),
    )
    expect(across.map(describeImport)).to.deep.equal([])
  })

  it("import oidc-provider's undescribed modules in host/ alone", () => {
    const deep = imports.filter(({ target }) => target.startsWith('oidc-provider/'))
    const outside = deep.filter(({ file }) => !isBelow('host', file))
    expect(deep.length - outside.length).to.be.greaterThan(3)
    expect(outside.map(describeImport)).to.deep.equal([])
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
      expect(all.length).to.be.greaterThan(10)
      const outside = all.filter(({ target, isOwn }) =>
        isOwn ? target.startsWith('..') : !allowed.test(target),
      )
      expect(outside.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
      expect(circlesOf(all)).to.deep.equal([])
    })
  }

  it('are not imported by the plugin', () => {
    const theirs = imports.filter(({ target }) => /^(?:\.\.|oidc-provider-imp)/.test(target))
    expect(theirs.map(describeImport)).to.deep.equal([])
  })
})
