import { join, sep } from 'node:path'
import { expect } from 'chai'
import { circlesOf, filesBelow, type Import, importsBelow } from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'src')

/** The folders of src, from the top: a file imports from its own folder and from those above it. */
const LAYERS = [
  'glue',
  'public',
  'host',
  'shared',
  'adapters',
  'audit',
  'tokens',
  'status-list',
  'policy',
  'options',
  'claims',
  'impersonations',
  'management',
  'token-exchange',
  'resource-server',
  'browser',
]

/** The files that stand in no folder: below every folder but the last. */
const TOP_FILES = [
  'checklist.ts',
  'configuration.ts',
  'impersonation.ts',
  'index.ts',
  'provider.ts',
]

/** A provider for tests: made of what the package exports. */
const LAST_FOLDER = 'testing'

/** The adapters know the contract, and not each other. */
const ADAPTERS = ['memory', 'sqlite', 'postgres', 'redis']

/** What pages take from glue/: files that import nothing. */
const GLUE_OF_PAGES = ['glue/safe-url.ts', 'glue/stopwatch.ts']

const files = filesBelow(SOURCE)
const imports = importsBelow(SOURCE)
const own = imports.filter(({ isOwn }) => isOwn)

/** `undefined` for a file that belongs to no layer. */
function layerOf(file: string): number | undefined {
  const [folder = '', ...rest] = file.split(sep)
  if (rest.length === 0) return TOP_FILES.includes(file) ? LAYERS.length : undefined
  if (folder === LAST_FOLDER) return LAYERS.length + 1
  const layer = LAYERS.indexOf(folder)
  return layer === -1 ? undefined : layer
}

const describeImport = ({ file, target }: Import) => `src/${file} imports ${target}`
const isBelow = (folder: string, file: string) => file.startsWith(folder.replaceAll('/', sep) + sep)

describe('the layers of src', () => {
  it('are the folders that are listed here, and five files', () => {
    expect(files.length).to.be.greaterThan(70)
    const elsewhere = files.filter((file) => layerOf(file) === undefined)
    expect(elsewhere, 'files of no layer').to.deep.equal([])
  })

  it('import from their own folder and from folders above it', () => {
    expect(own.length).to.be.greaterThan(200)
    const upwards = own.filter(({ file, target }) => {
      const [from, to] = [layerOf(file), layerOf(target)]
      return from === undefined || to === undefined || to > from
    })
    expect(upwards.map(describeImport)).to.deep.equal([])
  })

  it('import nothing of the package into glue/, which the console compiles into itself', () => {
    const inGlue = imports.filter(({ file }) => isBelow('glue', file))
    const others = inGlue.filter(({ target, isOwn }) =>
      isOwn ? !isBelow('glue', target) : target.startsWith('oidc-provider'),
    )
    expect(others.map(describeImport)).to.deep.equal([])
  })

  it('keep the adapters apart: each imports the contract, and no other adapter', () => {
    const across = own.filter(({ file, target }) =>
      ADAPTERS.some(
        (adapter) =>
          isBelow(`adapters/${adapter}`, file) &&
          [...ADAPTERS, 'testing'].some(
            (other) => other !== adapter && isBelow(`adapters/${other}`, target),
          ),
      ),
    )
    expect(across.map(describeImport)).to.deep.equal([])
  })

  it('import nothing into browser/ but two files of glue/: pages load it without the rest', () => {
    const inBrowser = imports.filter(({ file }) => isBelow('browser', file))
    expect(inBrowser.length).to.be.greaterThan(20)
    const others = inBrowser.filter(
      ({ target, isOwn }) =>
        !(isOwn
          ? isBelow('browser', target) || GLUE_OF_PAGES.includes(target)
          : target === 'oauth4webapi'),
    )
    const inGlue = imports.filter(({ file }) => GLUE_OF_PAGES.includes(file))
    expect([...others, ...inGlue].map(describeImport)).to.deep.equal([])
  })

  it("import oidc-provider's undescribed modules in host/ alone", () => {
    const deep = imports.filter(({ target }) => target.startsWith('oidc-provider/'))
    const outside = deep.filter(({ file }) => !isBelow('host', file))
    expect(deep.length - outside.length).to.be.greaterThan(3)
    expect(outside.map(describeImport)).to.deep.equal([])
  })

  for (const folder of ['src', 'bench', 'example-provider', 'scripts']) {
    it(`have no circle of files: ${folder}`, () => {
      const all = importsBelow(join(ROOT, folder))
      expect(all.length).to.be.greaterThan(10)
      expect(circlesOf(all)).to.deep.equal([])
    })
  }
})
