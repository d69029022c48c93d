import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { expect } from 'chai'

const SOURCE = join(import.meta.dirname, '../src')

/**
 * Folders and files of src, from the top: a file imports from its own folder and from those above it.
 * A name without an ending is a folder.
 */
const LAYERS = [
  'reason.ts',
  'present.ts',
  'option-rules.ts',
  'words',
  'http',
  'audit',
  'verify',
  'verify.ts',
  'options.ts',
  'settings.ts',
  'clients.ts',
  'sign-in',
  'management',
  'api',
  'account',
  'page',
  'index.ts',
  'browser',
]

/** The same within `browser`: first the files that stand in none of its folders. */
const BROWSER_LAYERS = ['', 'running', 'operators', 'audit', 'account']
/** The files of `browser` that put its pages together. */
const BROWSER_ENTRIES = ['account.tsx', 'console.tsx', 'console-frame.tsx']

/** What pages take from the server's code beside types and words: files that import no module of Node. */
const IN_BOTH = ['audit/entry.ts', 'audit/fold.ts', 'audit/row.ts']
const BROWSER_PACKAGES =
  /^(?:preact|preact\/hooks|oauth4webapi|eventsource-parser|oidc-provider-impersonation\/browser)$/

/** `import` and `export … from`, types included, because a reader follows them too. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

interface Import {
  /** Relative to src, as `target`. */
  readonly file: string
  /** A file of src, or the specifier of a package. */
  readonly target: string
  readonly isOwn: boolean
  readonly isType: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, type, named = '', dynamic = named]) => {
    const isOwn = dynamic.startsWith('.')
    const target = isOwn ? relative(SOURCE, join(SOURCE, file, '..', dynamic)) : dynamic
    return { file, target, isOwn, isType: type !== undefined }
  })
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
)
const imports = files.flatMap(importsOf)
const own = imports.filter(({ isOwn }) => isOwn)
const inBrowser = imports.filter(({ file }) => isBelow('browser', file))

const told = ({ file, target }: Import) => `src/${file} imports ${target}`
const layerOf = (file: string) => LAYERS.indexOf(file.split(sep)[0] ?? '')

/** `undefined` for a file that stands in another folder. */
function browserLayerOf(file: string): number | undefined {
  const [, folder = '', ...rest] = file.split(sep)
  if (rest.length > 0) return BROWSER_LAYERS.indexOf(folder)
  return BROWSER_ENTRIES.includes(folder) ? BROWSER_LAYERS.length : 0
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(folder + sep)
}

describe('the layers of the console', () => {
  it('are the folders and files that are listed here', () => {
    expect(files.length).to.be.greaterThan(150)
    expect(files.filter((file) => layerOf(file) === -1)).to.deep.equal([])
    expect(LAYERS.filter((layer) => !files.some((file) => file.split(sep)[0] === layer))).to.eql([])
  })

  it('import from their own folder and from those above it', () => {
    expect(own.length).to.be.greaterThan(500)
    const upwards = own.filter(({ file, target }) => layerOf(target) > layerOf(file))
    expect(upwards.map(told)).to.deep.equal([])
  })

  it('import nothing of the rest of the repository', () => {
    expect(own.filter(({ target }) => target.startsWith('..')).map(told)).to.deep.equal([])
  })

  it('of the pages have a direction, too', () => {
    const upwards = inBrowser.filter(
      ({ file, target }) =>
        isBelow('browser', target) && (browserLayerOf(target) ?? 0) > (browserLayerOf(file) ?? 0),
    )
    expect(upwards.map(told)).to.deep.equal([])
  })

  it('give the pages types, words, and three files that run everywhere', () => {
    expect(inBrowser.length).to.be.greaterThan(300)
    const others = inBrowser.filter(
      ({ target, isOwn, isType }) =>
        !isType &&
        (isOwn
          ? !isBelow('browser', target) && !isBelow('words', target) && !IN_BOTH.includes(target)
          : !BROWSER_PACKAGES.test(target)),
    )
    expect(others.map(told)).to.deep.equal([])
    const taken = new Set(inBrowser.filter(({ isType }) => !isType).map(({ target }) => target))
    expect(IN_BOTH.filter((file) => !taken.has(file))).to.deep.equal([])
  })
})
