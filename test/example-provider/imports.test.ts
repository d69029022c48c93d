import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What follows `from`, `import` or `import(`. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g

interface Import {
  /** Relative to the repository, as the next one. */
  readonly file: string
  /** A file, or the specifier of a package. */
  readonly target: string
}

function importsOf(folder: string): Import[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !/(?:^|\/)(?:node_modules|dist)\//.test(file))
    .map((file) => join(ROOT, folder, file))
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier = '']) => ({
      file: relative(ROOT, file),
      target: specifier.startsWith('.')
        ? relative(ROOT, resolve(dirname(file), specifier))
        : specifier,
    })),
  )
}

describe('example provider: what imports what', () => {
  it('the console imports nothing but itself and packages: it can be mounted in any deployment', () => {
    const imports = importsOf('console/src')
    expect(imports.length).to.be.greaterThan(100)
    const others = imports.filter(({ target }) =>
      /^(?:example-provider|src|test|examples)\//.test(target),
    )
    expect(others).to.deep.equal([])
  })

  it('the example and its pieces take the console by its name, and nothing else of it', () => {
    for (const folder of ['example-provider']) {
      const imports = importsOf(folder)
      expect(imports.filter(({ target }) => target.startsWith('console/'))).to.deep.equal([])
      const byName = new Set(
        imports
          .filter(({ target }) => target.startsWith('oidc-provider-impersonation-console'))
          .map(({ target }) => target.replace(/^oidc-provider-impersonation-console/, '.')),
      )
      const { exports } = JSON.parse(readFileSync(join(ROOT, 'console/package.json'), 'utf8'))
      expect([...byName], folder).not.to.deep.equal([])
      expect(Object.keys(exports)).to.include.members([...byName])
    }
  })

  it('the example and its pieces import this package by its name, as users do', () => {
    for (const folder of ['example-provider', 'console/src']) {
      const imports = importsOf(folder)
      const deep = imports.filter(({ target }) => target.startsWith('src/'))
      expect(deep, folder).to.deep.equal([])
      const byName = imports.filter(({ target }) =>
        target.startsWith('oidc-provider-impersonation'),
      )
      expect(byName, folder).not.to.deep.equal([])
    }
  })

  it('features.impersonation stands in the file that the start imports first', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const start = String(manifest.scripts.start).split(' ').at(-1) ?? ''
    const [first] = importsOf('example-provider').filter(({ file }) => file === start)
    const text = readFileSync(join(ROOT, first?.target ?? ''), 'utf8')
    expect(text).to.match(/features: \{\s+impersonation: \{/)
    const [before = ''] = text.split('impersonation: {')
    expect(before.split('\n').length, 'lines to read before it').to.be.below(50)
    expect([...before.matchAll(/^import /gm)].length).to.be.at.most(19)
  })
})
