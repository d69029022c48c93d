import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { circlesOf, filesBelow, importsBelow } from '../../../test/support/imports.ts'
import { PART_NAMES, readConfiguration } from '../src/configuration.ts'
import { ALL_STATEMENTS } from '../src/statements/index.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SOURCE = join(ROOT, 'packages/conformance/src')
const profile = readFileSync(join(ROOT, 'packages/conformance/profile.md'), 'utf8')
const readme = readFileSync(join(ROOT, 'packages/conformance/README.md'), 'utf8')
const inProfile = [...profile.matchAll(/^- \*\*(P\d+)\*\*(†?) (.+)$/gm)].map(
  ([, number = '', mark, clause]) => ({ number, isUntestable: mark !== '', clause }),
)

describe('profile.md and the suite', () => {
  it('have the same statements, word for word, and a test for each that can be tested', () => {
    const wanted = inProfile
      .filter(({ isUntestable }) => !isUntestable)
      .map(({ number, clause }) => [number, clause])
    expect(wanted.length).to.be.greaterThan(50)
    expect(ALL_STATEMENTS.map(({ number, clause }) => [number, clause])).to.deep.equal(wanted)
  })

  it('number them from 1 on, and every statement demands something', () => {
    expect(inProfile.map(({ number }) => number)).to.deep.equal(
      inProfile.map((_, index) => `P${index + 1}`),
    )
    const idle = inProfile.filter(({ clause }) => !/\bMUST\b/.test(clause ?? ''))
    expect(idle.map(({ number }) => number)).to.deep.equal([])
  })

  it('name no statement elsewhere that does not exist', () => {
    const known = new Set(inProfile.map(({ number }) => number))
    const named = [...`${profile}${readme}`.matchAll(/\bP\d+\b/g)].map(([number]) => number)
    expect(named.filter((number) => !known.has(number))).to.deep.equal([])
  })

  it('allow a shorter life than accessToken.maxTtl, and the option says so', () => {
    const options = readFileSync(join(ROOT, 'docs/options.md'), 'utf8')
    const [, section = ''] = /^#### `accessToken\.maxTtl`\n(.*?)^#/ms.exec(options) ?? []
    const [, most = ''] =
      /longer than (\d+) seconds/.exec(
        inProfile.find(({ number }) => number === 'P21')?.clause ?? '',
      ) ?? []
    expect(section).to.include(
      `The profile (packages/conformance/profile.md) allows ${most} at most (P21).`,
    )
  })

  it('have a configuration for each block of the README, and a word on every part', () => {
    const blocks = [...readme.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => json)
    expect(blocks).to.have.lengthOf(3)
    for (const json of blocks) {
      // What the environment and a command of the user would give.
      const text = json.replaceAll(/\{ "(?:env|command)": [^}]+\}/g, '"a secret"')
      expect(() => readConfiguration(JSON.parse(text))).to.not.throw()
    }
    for (const part of PART_NAMES) expect(readme).to.include(`\`${part}\``)
  })
})

describe('the package of the suite', () => {
  const imports = importsBelow(SOURCE)

  it('imports jose, Node, and its own files: nothing of the plugin', () => {
    expect(imports.length).to.be.greaterThan(50)
    const others = imports.filter(({ isOwn, target }) =>
      isOwn ? target.startsWith('..') : target !== 'jose' && !target.startsWith('node:'),
    )
    expect(others.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('has no circle of files, and no file over 250 lines', () => {
    expect(circlesOf(imports)).to.deep.equal([])
    const linesIn = (file: string) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length
    expect(filesBelow(SOURCE).filter((file) => linesIn(file) > 250)).to.deep.equal([])
  })
})
