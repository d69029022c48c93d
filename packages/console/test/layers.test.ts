import { join, sep } from 'node:path'
import { expect } from 'chai'
import { circlesOf, filesBelow, type Import, importsBelow } from '../../../test/support/imports.ts'

const SOURCE = join(import.meta.dirname, '../src')

/**
 * Folders and files of src, from the bottom: a file imports from its own folder and from those below it.
 * A name without an ending is a folder.
 */
const LAYERS = [
  'words',
  'option-rules.ts',
  'http',
  'audit',
  'permits',
  'notice.ts',
  'options.ts',
  'settings.ts',
  'clients.ts',
  'sign-in',
  'api',
  'page',
  'notices',
  'middleware.ts',
  'index.ts',
  'browser',
]

/** The same within these. '' stands for the files that are in none of the folders. */
const INNER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  audit: ['', 'stores', 'keeping', 'recording'],
  browser: ['kit', 'session', 'running', 'permits', 'operators', 'audit', 'account', ''],
}

/** The stores know the contract, and not each other. `sql` is the body of two of them. */
const STORES = ['sqlite', 'postgres', 'sql']
const SQL_DIALECTS = ['sqlite', 'postgres']

const BROWSER_PACKAGES =
  /^(?:preact|preact\/hooks|oauth4webapi|eventsource-parser|oidc-provider-impersonation-(?:browser|verify\/format))$/

const files = filesBelow(SOURCE)
const imports = importsBelow(SOURCE)
const own = imports.filter(({ isOwn }) => isOwn)
const inBrowser = imports.filter(({ file }) => isBelow('browser', file))

const describeImport = ({ file, target }: Import) => `src/${file} imports ${target}`
const layerOf = (file: string) => LAYERS.indexOf(file.split(sep)[0] ?? '')

function innerLayerOf(file: string, layers: readonly string[]): number {
  const [, folder = '', ...rest] = file.split(sep)
  return layers.indexOf(rest.length === 0 ? '' : folder)
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(folder.replaceAll('/', sep) + sep)
}

describe('the layers of the console', () => {
  it('are the folders and files that are listed here', () => {
    expect(files.length).to.be.greaterThan(150)
    expect(files.filter((file) => layerOf(file) === -1)).to.deep.equal([])
    expect(LAYERS.filter((layer) => !files.some((file) => file.split(sep)[0] === layer))).to.eql([])
  })

  it('import from their own folder and from those below it, never upwards', () => {
    expect(own.length).to.be.greaterThan(500)
    const upwards = own.filter(({ file, target }) => layerOf(target) > layerOf(file))
    expect(upwards.map(describeImport)).to.deep.equal([])
  })

  it('import nothing of the rest of the repository', () => {
    expect(own.filter(({ target }) => target.startsWith('..')).map(describeImport)).to.deep.equal(
      [],
    )
  })

  for (const [folder, layers] of Object.entries(INNER_LAYERS)) {
    it(`have a direction within ${folder}/, too`, () => {
      const inside = own.filter(
        ({ file, target }) => isBelow(folder, file) && isBelow(folder, target),
      )
      expect(inside.length).to.be.greaterThan(50)
      const upwards = inside.filter(({ file, target }) => {
        const [from, to] = [innerLayerOf(file, layers), innerLayerOf(target, layers)]
        return from === -1 || to === -1 || to > from
      })
      expect(upwards.map(describeImport)).to.deep.equal([])
    })
  }

  it('keep the stores of the audit apart: none imports another', () => {
    const across = own.filter(({ file, target }) =>
      STORES.some(
        (store) =>
          isBelow(`audit/stores/${store}`, file) &&
          STORES.some((other) => {
            const isItsBody = other === 'sql' && SQL_DIALECTS.includes(store)
            return other !== store && !isItsBody && isBelow(`audit/stores/${other}`, target)
          }),
      ),
    )
    expect(across.map(describeImport)).to.deep.equal([])
  })

  it('have no circle of files', () => {
    expect(circlesOf(imports)).to.deep.equal([])
  })

  it('give the pages types and words', () => {
    expect(inBrowser.length).to.be.greaterThan(300)
    const others = inBrowser.filter(
      ({ target, isOwn, isType }) =>
        !isType &&
        (isOwn
          ? !isBelow('browser', target) && !isBelow('words', target)
          : !BROWSER_PACKAGES.test(target)),
    )
    expect(others.map(describeImport)).to.deep.equal([])
  })
})
