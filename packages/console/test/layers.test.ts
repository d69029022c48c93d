import { join, sep } from 'node:path'
import { expect } from 'chai'
import { circlesOf, filesBelow, type Import, importsBelow } from '../../../test/support/imports.ts'

const SOURCE = join(import.meta.dirname, '../src')

/** From the bottom: a file imports from its own layer and from those below it. */
const LAYERS: readonly (readonly string[])[] = [
  ['kernel'],
  ['ledger'],
  ['web'],
  ['records'],
  ['features'],
  [
    ...['options.ts', 'settings.ts', 'index.ts'],
    ...[
      'account-site.tsx',
      'console-frame.tsx',
      'console-home.tsx',
      'console-site.ts',
      'source.ts',
    ],
  ],
]

/** No feature imports another. */
const FEATURES = [
  'account',
  'alarms',
  'impersonations',
  'notices',
  'overview',
  'permits',
  'personal-data',
  'rules',
]
const FEATURE_PARTS = ['server', 'views']

/** The same within `ledger`. '' stands for the files that are in none of the folders. */
const OF_LEDGER = ['', 'stores', 'sealing', 'keeping', 'recording', 'outbox']

/** The stores know the contract, and not each other. `sql` is the body of two of them. */
const STORES = ['sqlite', 'postgres', 'sql']
const SQL_DIALECTS = ['sqlite', 'postgres']

const files = filesBelow(SOURCE).map(slashed)
const imports = importsBelow(SOURCE)
  .map((each) => ({ ...each, file: slashed(each.file), target: slashed(each.target) }))
  // The one import upwards, of a type: the contract of the store is what the function that makes one returns.
  .filter(({ file, isType }) => !(isType && file === 'ledger/store.ts'))
/** A file of words is data. */
const own = imports.filter(({ isOwn, target }) => isOwn && !target.endsWith('.json'))

function slashed(path: string) {
  return path.replaceAll(sep, '/')
}

function layerOf(file: string) {
  return LAYERS.findIndex((layer) => layer.includes(file.split('/')[0] ?? ''))
}

function featureOf(file: string) {
  const [folder, feature] = file.split('/')
  return folder === 'features' ? feature : undefined
}

function innerLayerOf(file: string) {
  const [, folder = '', ...rest] = file.split('/')
  return OF_LEDGER.indexOf(rest.length === 0 ? '' : folder)
}

function isBelow(folder: string, file: string) {
  return file.startsWith(`${folder}/`)
}

function describeImport({ file, target }: Pick<Import, 'file' | 'target'>) {
  return `${file} imports ${target}`
}

describe('the layers of the console', () => {
  it('are the folders and files that are listed here', () => {
    expect(files.length).to.be.greaterThan(150)
    expect(files.filter((file) => layerOf(file) === -1)).to.deep.equal([])
    const isThere = (name: string) => files.some((file) => file.split('/')[0] === name)
    expect(LAYERS.flat().filter((name) => !isThere(name))).to.deep.equal([])
  })

  it('have the features side by side, each with its server and its views', () => {
    const inside = files.filter(featureOf)
    expect([...new Set(inside.map(featureOf))].sort()).to.deep.equal(FEATURES)
    const parts = new Set(inside.map((file) => file.split('/')[2] ?? ''))
    expect([...parts].filter((part) => !FEATURE_PARTS.includes(part))).to.deep.equal([])
  })

  it('import from their own layer and from those below it, and no feature imports another', () => {
    expect(own.length).to.be.greaterThan(500)
    const found = own.filter(({ file, target }) => {
      const [from, to] = [featureOf(file), featureOf(target)]
      return (
        layerOf(target) > layerOf(file) || (from !== to && from !== undefined && to !== undefined)
      )
    })
    expect(found.map(describeImport)).to.deep.equal([])
  })

  it('import nothing of the rest of the repository', () => {
    expect(own.filter(({ target }) => target.startsWith('..')).map(describeImport)).to.deep.equal(
      [],
    )
  })

  it('have a direction within ledger/, too', () => {
    const inside = own.filter(
      ({ file, target }) => isBelow('ledger', file) && isBelow('ledger', target),
    )
    expect(inside.length).to.be.greaterThan(50)
    const upwards = inside.filter(({ file, target }) => {
      const [from, to] = [innerLayerOf(file), innerLayerOf(target)]
      return from === -1 || to === -1 || to > from
    })
    expect(upwards.map(describeImport)).to.deep.equal([])
  })

  it('keep the stores of the audit apart: none imports another', () => {
    const across = own.filter(({ file, target }) =>
      STORES.some(
        (store) =>
          isBelow(`ledger/stores/${store}`, file) &&
          STORES.some((other) => {
            const isItsBody = other === 'sql' && SQL_DIALECTS.includes(store)
            return other !== store && !isItsBody && isBelow(`ledger/stores/${other}`, target)
          }),
      ),
    )
    expect(across.map(describeImport)).to.deep.equal([])
  })

  it('have no circle of files', () => {
    expect(circlesOf(imports)).to.deep.equal([])
  })

  it('give the script of the browser one package, and nothing of the server', () => {
    const inBrowser = imports.filter(({ file }) => isBelow('web/browser', file))
    expect(inBrowser.map(({ target }) => target)).to.deep.equal(['idiomorph'])
  })
})
