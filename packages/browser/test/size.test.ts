import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { builtKit } from './support/built-kit.ts'

/** Bytes, compressed: what a page with an impersonation and its banner loads more, as it is shipped. */
const MOST_OF_ACTING = 9950
const MOST_OF_REACT = 950
/** Entries of their own, that other pages do not load. */
const ENTRIES: readonly string[] = ['react.js', 'server.js']
const MOST_AT_FIRST = 3680

describe('the modules for browsers', () => {
  let folder: string
  let files: ReadonlyMap<string, string>

  before(async () => {
    folder = await builtKit()
    const names = await readdir(folder)
    files = new Map(
      await Promise.all(
        names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
      ),
    )
  })

  it(`have ${MOST_OF_ACTING} bytes more, at most, where an operator acts and the banner is shown`, () => {
    const first = atFirst()
    const more = [...files.keys()].filter((name) => !first.has(name) && !ENTRIES.includes(name))
    // Their names say what is in them, for logs. The rest is a hash.
    expect(more.map((name) => name.replace(/-[A-Z0-9]{8}\.js$/, ''))).to.have.members([
      'acting-page',
      'banner-element',
      'chunk',
    ])
    expect(sizeOf(more)).to.be.at.most(MOST_OF_ACTING)
    // oauth4webapi is imported only where there is an impersonation.
    const others = [...first, ...more].filter((name) => importsOf(name).includes('oauth4webapi'))
    expect(others).to.have.lengthOf(1)
    expect(others[0]).to.match(/^acting-page-/)
  })

  it(`have ${MOST_AT_FIRST} where a customer opens the page in person`, () => {
    expect(sizeOf([...atFirst()])).to.be.at.most(MOST_AT_FIRST)
  })

  it('have the part for React in a file of its own, which runs in browsers', () => {
    const text = files.get('react.js') ?? ''
    expect(text).to.match(/^"use client";/)
    expect(importsOf('react.js')).to.have.members(['react', './index.js'])
    expect(gzipSync(text).length).to.be.at.most(MOST_OF_REACT)
  })

  it('have the part for servers in a file of its own, which needs no Node.js', () => {
    const text = files.get('server.js') ?? ''
    const imported = [...text.matchAll(/^(?:import|export) .* from "(.+)";$/gm)]
    expect(imported.map(([, specifier]) => specifier)).to.deep.equal(['oauth4webapi'])
    expect(text).not.to.match(/\b(?:document|window|location|process|Buffer)\b\./)
  })

  it('can be imported and called on a server, where there is no impersonation', async () => {
    const { acceptImpersonation } = await import(pathToFileURL(join(folder, 'index.js')).href)
    expect(await acceptImpersonation({})).to.equal(undefined)
  })

  /** Returns the modules that a page loads when it imports the package. */
  function atFirst(): Set<string> {
    const reached = new Set<string>()
    const follow = (name: string) => {
      if (reached.has(name)) return
      reached.add(name)
      for (const specifier of importsOf(name)) follow(specifier.slice(2))
    }
    follow('index.js')
    return reached
  }

  function sizeOf(names: readonly string[]): number {
    return names.reduce((total, name) => total + gzipSync(files.get(name) ?? '').length, 0)
  }

  /** Static ones: what the browser loads at once. */
  function importsOf(name: string): string[] {
    const found = files.get(name)?.matchAll(/(?:\bfrom|^import|;import)\s*"([^"]+)"/g) ?? []
    return [...found].map(([, specifier = '']) => specifier)
  }
})
