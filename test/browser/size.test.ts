import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { builtKit } from './support/built-kit.ts'

/** Bytes, compressed: of all files that accepting an impersonation takes, as they are shipped. */
const MOST = 10_300
/** What the banner adds where it is shown. */
const MOST_OF_BANNER = 3400
/** What a page without an impersonation loads. */
const MOST_AT_FIRST = 4000

describe('the modules for browsers', () => {
  let folder: string
  let files: ReadonlyMap<string, string>
  let banner: readonly number[]

  before(async function () {
    this.timeout(60_000)
    folder = await builtKit()
    const all = await readdir(folder)
    // A page loads the banner where it shows it.
    const names = all.filter((name) => !name.startsWith('banner'))
    banner = await Promise.all(
      all
        .filter((name) => !names.includes(name))
        .map(async (name) => gzipSync(await readFile(join(folder, name))).length),
    )
    files = new Map(
      await Promise.all(
        names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      ),
    )
  })

  it(`have ${MOST} bytes, compressed, at most`, () => {
    expect(files.size).to.be.within(1, 4)
    const sizes = [...files].map(([name, text]) => [name, gzipSync(text).length] as const)
    const sum = sizes.reduce((total, [, size]) => total + size, 0)
    expect(sum, JSON.stringify(sizes)).to.be.at.most(MOST)
  })

  it(`have ${MOST_OF_BANNER} bytes more, at most, where the banner is shown`, () => {
    expect(banner).to.have.length(1)
    expect(banner[0]).to.be.at.most(MOST_OF_BANNER)
  })

  it(`have ${MOST_AT_FIRST} where a customer opens the page in person`, () => {
    const reached = new Set<string>()
    const follow = (name: string) => {
      if (reached.has(name)) return
      reached.add(name)
      for (const specifier of importsOf(name)) follow(specifier.slice(2))
    }
    follow('index.js')
    const size = [...reached].reduce(
      (total, name) => total + gzipSync(files.get(name) ?? '').length,
      0,
    )
    expect(size, [...reached].join()).to.be.at.most(MOST_AT_FIRST)
    expect([...reached]).to.not.include('acting-page.js')
  })

  it('import oauth4webapi, and only where there is an impersonation', () => {
    const others = [...files.keys()].flatMap((name) =>
      importsOf(name)
        .filter((specifier) => !specifier.startsWith('./'))
        .map((specifier) => `${name}: ${specifier}`),
    )
    expect(new Set(others)).to.deep.equal(new Set(['acting-page.js: oauth4webapi']))
  })

  it('can be imported and called on a server, where there is no impersonation', async () => {
    const { acceptImpersonation } = await import(pathToFileURL(join(folder, 'index.js')).href)
    expect(await acceptImpersonation({})).to.equal(undefined)
  })

  /** Static ones: what the browser loads at once. */
  function importsOf(name: string): string[] {
    const found = files.get(name)?.matchAll(/(?:\bfrom|^import|;import)\s*"([^"]+)"/g) ?? []
    return [...found].map(([, specifier = '']) => specifier)
  }
})
